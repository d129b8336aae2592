/**
 * Pods on Fargate that are newer than the minor to go back to. A pod there gets the control plane's version of the moment of its creation, so one that
 * a controller makes again while the control plane is still ahead would be newer again: what owns it has to stand still until the control plane is back.
 */
import type { ClusterFacts } from '../../facts/facts.ts';
import type { PhaseId } from '../../core/phases.ts';
import type { UpgradePolicy } from '../../policy/policy.ts';
import { formatKubernetesVersion, type KubernetesVersion } from '../../core/version.ts';
import { agree, count, objectTitle, someOf } from '../../core/text.ts';
import type { FindingInput } from '../findings/finding.ts';
import type { StepParams } from '../model/step-params.ts';
import { nodesAhead } from './nodes.ts';
import type { FargateBack, FargateWorkload, SeenForBack } from './evidence.ts';

export type FargateStop = NonNullable<Extract<StepParams, { phase: 'control-plane-back' }>['fargate']>;

interface Context {
  facts: ClusterFacts;
  seen: SeenForBack;
  backTo: KubernetesVersion;
  policy: Pick<UpgradePolicy, 'managedBy' | 'rollback'>;
  later: readonly PhaseId[];
}

const CODE = 'RBK005';

/** What the control plane's step stops; undefined: nothing there is newer, or Belay does not stop it. */
export function fargateStop(context: Omit<Context, 'later'>): FargateStop | undefined {
  const { fargate } = context.seen;
  if (fargate === undefined || typeof fargate === 'string' || aheadCount(context) === 0) return undefined;
  if (refusals(context, fargate).length > 0) return undefined;
  const { podCount, workloads, dns } = fargate;
  return { podCount, workloadCount: workloads.length, ...(dns ? { dns } : {}) };
}

export function fargateFindings(context: Context): FindingInput[] {
  const { facts, seen, backTo, later, policy } = context;
  const minor = formatKubernetesVersion(backTo);
  const title = `No pod on Fargate is newer than ${minor}`;
  const nodes = aheadCount(context);
  if (nodes === 0) return [];
  const { fargate } = seen;
  const words = `${count(nodes, 'fargate node')} ${agree(nodes, 'runs', 'run')} a kubelet newer than ${minor}, which no control plane at ${minor} may have.`;
  const byHand = nodesAhead(facts, backTo).find(({ owner }) => owner === 'fargate')?.byHand ?? '';
  if (policy.rollback.fargate === 'refuse')
    return [
      {
        code: CODE,
        title,
        message: words,
        remediation: `${byHand} Or let Belay do it, and have it down until then: clusters.${facts.cluster.name}.rollback.fargate: stop in belay.yaml.`,
      },
    ];
  if (typeof fargate === 'string')
    return [{ code: CODE, title, status: 'unknown', message: `${words} What owns its pods cannot be seen: ${fargate}.` }];
  if (fargate === undefined || fargate.podCount === 0)
    return [{ code: CODE, title, message: words, remediation: `Belay sees no pod on it: delete the node, then ask again.` }];
  const refused = refusals(context, fargate);
  if (refused.length > 0)
    return refused.map(({ message, remediation }) => ({ code: CODE, title, message: `${words} ${message}`, remediation }));
  const names = fargate.workloads.map(objectTitle);
  const planned = later.includes('control-plane-back');
  return [
    {
      code: CODE,
      title,
      severity: planned ? 'recommended' : 'required',
      message: `${words} ${planned ? `${someOf(names)} ${agree(names.length, 'is', 'are')} stopped, behind a gate, until the control plane is back.` : `Pods of ${someOf(names)}.`}`,
      resources: names,
      remediation: planned
        ? `Tell whoever uses them: they are DOWN meanwhile.${keptWords(fargate.workloads)}`
        : 'Somebody has started them again (an autoscaler, an operator, GitOps): hold that, then retry.',
    },
  ];
}

/** " Suspend …" where somebody would start some of them again; else empty. */
export function keptWords(workloads: readonly FargateWorkload[]): string {
  const kept = workloads.filter(({ keptBy }) => keptBy !== undefined);
  const by = [...new Set(kept.map(({ keptBy }) => keptBy))].join(' and ');
  return kept.length === 0
    ? ''
    : ` ${by} may start ${someOf(kept.map(objectTitle))} again: suspend the sync of these until the control plane is back.`;
}

interface Refusal {
  message: string;
  remediation: string;
}

function refusals({ facts, policy, backTo }: Omit<Context, 'later' | 'seen'>, fargate: FargateBack): Refusal[] {
  const setting = policy.rollback.fargate;
  if (setting === 'refuse') return [{ message: 'Belay stops nothing there.', remediation: 'rollback.fargate: stop in belay.yaml.' }];
  const minor = formatKubernetesVersion(backTo);
  const byTerraform = policy.managedBy.controlPlane === 'terraform';
  return [
    ...(byTerraform
      ? [
          {
            message: 'Terraform takes the control plane back, and nobody knows when: Belay stops nothing for so long.',
            remediation: `Scale what runs on Fargate to 0 right before the apply, and up again behind it; or take the control plane back with managedBy.controlPlane: eks.`,
          },
        ]
      : []),
    ...fargate.stuck.map(({ workload, why }) => ({ message: `Belay does not stop ${workload}.`, remediation: `${why}; then ask again.` })),
    ...(fargate.dns && setting !== 'stop-with-dns'
      ? [
          {
            message: 'CoreDNS is among its pods: while it is stopped no name resolves in the whole cluster.',
            remediation: `Let CoreDNS run on instances until the control plane is back at ${minor}, or accept it: clusters.${facts.cluster.name}.rollback.fargate: stop-with-dns.`,
          },
        ]
      : []),
  ];
}

function aheadCount({ facts, backTo }: Pick<Context, 'facts' | 'backTo'>): number {
  return nodesAhead(facts, backTo)
    .filter(({ owner }) => owner === 'fargate')
    .reduce((sum, each) => sum + each.count, 0);
}

/** For the plan and the gate before the step. */
export function fargateWords({ workloadCount, podCount, dns }: FargateStop, backTo: string): string {
  const what = `${count(workloadCount, 'workload')} with ${count(podCount, 'pod')} on Fargate`;
  const name = dns === true ? ' CoreDNS is among them: no name resolves in the cluster meanwhile.' : '';
  return ` Before that ${what} ${agree(workloadCount, 'is', 'are')} scaled to 0, behind a gate of its own, and DOWN until the control plane is back at ${backTo}.${name}`;
}
