/** Behind a control plane that has gone back: node classes choose by alias again, then the freeze is lifted. */
import { sleep } from '@temporalio/workflow';
import { controlPlaneAndNodesAt, amisChosenAsBefore } from '../../messages/karpenter/drift.ts';
import { Phase } from '../base/phase.ts';
import { AmiMoves } from './ami-changes.ts';
import { FreezeControl } from '../freeze/freeze-client.ts';
import { paramsOf, type PhaseInput, type PhaseResult } from '../../contract/phase.ts';
import { phaseFailed } from '../../runtime/phase-failure.ts';
import { nodesNotAt } from '../../../domain/facts/version-skew.ts';

export async function nodeClassesBack(input: PhaseInput): Promise<PhaseResult> {
  const phase = new Phase(input);
  const { to, waitMs, own, moves, follows } = paramsOf(input, 'node-classes-back');
  const freeze = new FreezeControl(phase);
  const amis = new AmiMoves(phase, { to, moves, follows });
  return phase.run(async () => {
    await whileOldEnough(phase, to);
    // Karpenter reads the control plane's version every five minutes: an alias that comes back sooner would still mean the newer images.
    if (waitMs > 0) await sleep(waitMs, { summary: `Until Karpenter knows of ${to}` });
    if (own.length > 0) await release(phase, own);
    await amis.make([]);
    await freeze.lift(controlPlaneAndNodesAt(to));
    const classes = follows.map(({ nodeClass }) => nodeClass).join(', ');
    return { summary: `${classes === '' ? '' : `EC2NodeClass ${classes} as before; `}Karpenter's freeze is lifted`, freezeLifted: true };
  });
}

/** Nodes that lag would all be replaced unasked: the freeze then stays for its guard to ask about. */
async function whileOldEnough(phase: Phase, to: string): Promise<void> {
  const skew = await phase.activities.survey.readSkew.executeWithOptions({ summary: 'Does any node lag behind the control plane?' }, [
    { cluster: phase.cluster },
  ]);
  if (skew.controlPlane !== to) throw phaseFailed(`Letting Karpenter go: the control plane is at ${skew.controlPlane}, not at ${to}`);
  const others = nodesNotAt(to, skew);
  if (others.count === 0) return;
  const seen = others.byMinor.map(([minor, count]) => `${count} at ${minor}`).join(', ');
  throw phaseFailed(
    `Letting Karpenter go: nodes are not at ${to} (${seen}), and it would replace them at once. Skip leaves the freeze, and people are asked at the end`,
  );
}

async function release(phase: Phase, own: string[]): Promise<void> {
  const { released, failed } = await phase.activities.quick.releaseAmis.executeWithOptions(
    { summary: `Put back the aliases of ${own.join(', ')}` },
    [{ cluster: phase.cluster, nodeClasses: own }],
  );
  if (failed.length > 0) throw phaseFailed(`Putting back AMIs: ${failed.map(({ nodeClass, why }) => `${nodeClass}: ${why}`).join('; ')}`);
  if (released.length > 0) phase.announcer.note(amisChosenAsBefore(released));
}
