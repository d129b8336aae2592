/** Namespaces whose labels are declared in Git: who keeps them is asked, and a label that falls back is said at once and asked for again. */
import type { HeldLabels } from '../../activities/kubernetes/istio/contract.ts';
import type { IstioCanary } from '../../domain/plan/types.ts';
import { someOf } from '../../domain/words.ts';
import { type Phase, phaseFailed } from '../phase.ts';

/** Once the labels say so in the cluster, only the restart is left to do. */
export async function askForLabels(
  phase: Phase,
  { toRevision: revision }: IstioCanary,
  held: readonly HeldLabels[],
  managedBy: string,
): Promise<void> {
  const names = held.map(({ namespace }) => namespace);
  const keepers = [...new Set(held.map(({ by }) => by))].join(' and ');
  phase.ask(
    { component: 'namespace', name: names.join(', '), version: revision, managedBy },
    `Please label ${someOf(names, 20)} \`istio.io/rev: ${revision}\` where ${names.length === 1 ? 'this namespace is' : 'these namespaces are'} declared, without istio-injection: ` +
      `${keepers} would put a patch back. Nothing restarts before. Belay goes on when the labels say so. With a revision tag in these labels, no upgrade would need this merge.`,
  );
  await awaitLabels(phase, names, revision);
}

/** Somebody has put labels back after Belay had moved them: new pods there would get the old revision. */
export async function askToKeep(
  phase: Phase,
  { toRevision: revision, fromRevision }: IstioCanary,
  reverted: readonly { namespace: string; now: string }[],
  managedBy: string,
): Promise<void> {
  const names = reverted.map(({ namespace }) => namespace);
  phase.announcer.note(
    `Somebody has put labels back that Belay had moved: ${reverted.map(({ namespace, now }) => `${namespace} (${now})`).join(', ')}. New pods there get the revision before, ${fromRevision}.`,
    { level: 'alarm' },
  );
  phase.ask(
    { component: 'namespace', name: names.join(', '), version: revision, managedBy },
    `Please set \`istio.io/rev: ${revision}\` for ${someOf(names, 20)} where these labels are kept (GitOps, a script, another operator), without istio-injection. Belay moves them again when the labels say so.`,
  );
  await awaitLabels(phase, names, revision);
}

async function awaitLabels(phase: Phase, namespaces: string[], revision: string): Promise<void> {
  const { moved, left } = await phase.activities.watch.awaitNamespaceLabels.executeWithOptions(
    { summary: `Wait until the labels of ${someOf(namespaces)} say ${revision}` },
    [{ ...phase.target, namespaces, revision }],
  );
  if (!moved) throw phaseFailed(`Waiting for the labels of ${someOf(left)}: they do not say istio.io/rev=${revision}`);
}
