/** Is a wave well? Its proxies and its traffic are watched for a while, which people may end; the last look they may not. */
import { isCancellation } from '@temporalio/workflow';
import type { IstioActivities } from '../../../activities/contract/istio.ts';
import type { IstioCanary } from '../../../domain/plan/model/changes.ts';
import { count } from '../../../domain/core/text.ts';
import { waveBakeUndo } from '../../messages/bakes.ts';
import { waveBakeEnded } from '../../messages/istio/waves.ts';
import { bakeAtGate } from '../base/bake-gate.ts';
import type { Phase } from '../base/phase.ts';
import { uninjectedIn } from './wave-gates.ts';
import { paramsOf } from '../../contract/phase.ts';
import { phaseFailed } from '../../runtime/phase-failure.ts';
import type { WaveBaseline } from '../../../activities/contract/istio-objects.ts';

type Asked = Parameters<IstioActivities['awaitProxies']>[0];
type Seen = Awaited<ReturnType<IstioActivities['awaitProxies']>>;

interface WaveToVerify {
  index: number;
  /** "wave 1 of 3 to 1-28" */
  label: string;
  /** Labels that fall back begin another: counts them. */
  look: number;
  wanted: Pick<Asked, 'namespaces' | 'rolled' | 'gateways' | 'labelled'>;
  /** Before the move; undefined: it is not judged. */
  traffic: WaveBaseline | undefined;
}

/** What was seen at last. Throws where it does not run as it should; `reverted`: the labels do not hold. */
export async function verifyWave(phase: Phase, canary: IstioCanary, wave: WaveToVerify): Promise<Seen> {
  const { activities, target, timing } = phase;
  const { toRevision: revision, toMinor: minor } = canary;
  const look = (summary: string, how: Partial<WaveBaseline> & { watchMs?: number }): Promise<Seen> =>
    activities.watch.awaitProxies.executeWithOptions({ summary: `${summary} of ${wave.label}` }, [
      { ...target, revision, minor, ...how, ...wave.wanted, ...uninjectedIn(canary) },
    ]);
  const watch = (): Promise<Seen> => look('Verify and watch proxies', { watchMs: timing.waveBakeMs, ...wave.traffic });
  const isAsked = paramsOf(phase.input, 'istio').bakeGate === true;
  const seen = isAsked ? await watchAtGate(phase, canary, wave, look, watch) : await watch();
  if (seen.ok || seen.reverted !== undefined) return seen;
  throw phaseFailed(
    `Verifying ${wave.label}: ${seen.wrong.length === 0 ? 'rollouts did not finish in time' : seen.wrong.slice(0, 3).join('; ')}`,
  );
}

/** The bake begins when all has rolled out. */
async function watchAtGate(
  phase: Phase,
  { fromRevision, toRevision }: IstioCanary,
  { index, label, look: lookCount, traffic }: WaveToVerify,
  look: (summary: string, how: Partial<WaveBaseline>) => Promise<Seen>,
  watch: () => Promise<Seen>,
): Promise<Seen> {
  const rolledOut = await look('Verify proxies', {});
  if (!rolledOut.ok || rolledOut.reverted !== undefined) return rolledOut;
  const seen: { is?: Seen; failed?: unknown } = {};
  const isEarly = await bakeAtGate(phase, {
    bakeMs: phase.timing.waveBakeMs,
    // What cannot be watched ends the bake as well: nobody is asked to sit it out.
    watch: async () => {
      try {
        seen.is = await watch();
      } catch (error) {
        if (isCancellation(error)) throw error;
        seen.failed = error;
      }
    },
    detail: `${toRevision}.${index + 1}`,
    round: (phase.input.round - 1) * 100 + lookCount,
    baked: { after: 'istio-wave', label },
    seen: { title: 'Rolled out', lines: [`${count(rolledOut.podCount, 'pod')} of revision ${toRevision}`] },
    undo: waveBakeUndo(fromRevision),
  });
  if (seen.failed !== undefined && !isEarly) throw seen.failed;
  if (!isEarly && seen.is !== undefined) return seen.is;
  if (isEarly) phase.announcer.note(waveBakeEnded(label));
  return await look('Verify proxies once more', { ...traffic });
}
