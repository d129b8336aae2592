/** Who delivers what, and whether Belay stands on the cluster that it is to upgrade. */
import { agree, count, someOf } from '../../../core/text.ts';
import { type Check, check, type Look, type Resource } from '../../model/check.ts';
import { hasOwnTemplate, resourceOf } from '../../model/names.ts';
import type { WorkloadSeen } from '../../model/evidence-workloads.ts';

/** Charts by the component that belay.yaml names. */
const CHARTS: Record<string, RegExp> = {
  karpenter: /^karpenter(?:-crd)?$/,
  istio: /^(?:istiod|base|istio-base|cni|ztunnel|gateway)$/,
};
/** The marks of Helm are also Terraform's helm_release's and those of people who run it by hand. */
const HELM_MAY_BE = new Set(['helm', 'terraform', 'manual']);
/** Without belay.yaml nothing is said wrongly. */
const FOR_A_FILE = {
  severity: 'recommended',
  remediation: 'Before the upgrade write a belay.yaml that names it ("belay init"): GitOps reverts what Belay changes of a component.',
} as const;
const BELAY_IMAGE = /(?:^|\/)(?:eks-)?belay(?:[:@]|$)/;
const TEMPORAL_IMAGE = /(?:^|\/)temporalio\/(?:server|auto-setup|ui)(?:[:@]|$)/;

const isOf = (workload: WorkloadSeen, image: RegExp): boolean =>
  hasOwnTemplate(workload) && workload.containers.some((each) => image.test(each.image));

/** Somebody delivers it whom belay.yaml does not name. */
interface Differing {
  of: Resource;
  found: string;
  /** What the file says. */
  isSaid: string;
  /** What a file would have to say. */
  toSay: string;
}

/** Against belay.yaml; without one, what it would have to say. */
function asSaid(wrong: readonly Differing[], withoutFile: true | undefined, words: { pass: string; isSaid: string; toSay: string }): Look {
  if (wrong.length === 0) return { pass: words.pass };
  if (withoutFile === true)
    return { ...FOR_A_FILE, fail: words.toSay, resources: wrong.map(({ of, found, toSay }) => ({ ...of, note: `${found}: ${toSay}` })) };
  return { fail: words.isSaid, resources: wrong.map(({ of, found, isSaid }) => ({ ...of, note: `${found}, ${isSaid}` })) };
}

export const ownershipChecks: readonly Check[] = [
  check({
    code: 'OWN001',
    area: 'Ownership',
    title: 'belay.yaml names who delivers each component',
    severity: 'required',
    reads: ['gitOps'],
    remediation: 'Set the component’s managedBy in belay.yaml: GitOps reverts Belay’s changes within minutes.',
    source: 'docs/reference/configuration.md',
    look({ gitOps }, { managedBy, withoutFile }) {
      const wrong = gitOps.flatMap((each): Differing[] => {
        const component = Object.keys(CHARTS).find((name) => CHARTS[name]?.test(each.chart) === true);
        if (component === undefined || managedBy[component] === each.by) return [];
        const isSaid = `belay.yaml says ${managedBy[component] ?? 'nothing'}`;
        return [{ of: resourceOf(each.kind, each), found: `delivers ${each.chart}`, isSaid, toSay: `managedBy.${component}: ${each.by}` }];
      });
      const objects = `${count(wrong.length, 'object')} of GitOps`;
      return asSaid(wrong, withoutFile, {
        pass: 'What Flux and Argo CD deliver is named so in belay.yaml.',
        isSaid: `${objects} that belay.yaml does not name.`,
        toSay: `${objects} to name in a belay.yaml.`,
      });
    },
  }),
  check({
    code: 'OWN004',
    area: 'Ownership',
    title: 'Karpenter and Istio are delivered as belay.yaml says',
    severity: 'required',
    reads: ['karpenter', 'istio'],
    remediation: 'Correct managedBy in belay.yaml: otherwise the owner reverts Belay’s changes, at the latest with its next run.',
    source: 'docs/reference/configuration.md',
    look({ karpenter, istio }, { managedBy, withoutFile }) {
      const marked = [
        ...(karpenter === 'none' ? [] : [{ component: 'karpenter', ...karpenter, name: karpenter.deployment }]),
        ...(istio === 'none' ? [] : istio.istiods.map((each) => ({ component: 'istio', ...each }))),
      ];
      const wrong = marked.flatMap(({ component, deliveredBy, ...deployment }): Differing[] => {
        const said = managedBy[component];
        if (deliveredBy === undefined || deliveredBy === said) return [];
        if (deliveredBy === 'helm' && said !== undefined && HELM_MAY_BE.has(said)) return [];
        const isSaid = `belay.yaml says ${said ?? 'nothing'}`;
        return [{ of: resourceOf('Deployment', deployment), found: `marked by ${deliveredBy}`, isSaid, toSay: `managedBy.${component}` }];
      });
      const deployments = count(wrong.length, 'Deployment');
      return asSaid(wrong, withoutFile, {
        pass: 'Nothing else has left its marks on Karpenter or Istio.',
        isSaid: `${deployments} delivered otherwise than belay.yaml says.`,
        toSay: `${deployments} whose owner a belay.yaml has to name.`,
      });
    },
  }),
  check({
    code: 'OWN002',
    area: 'Ownership',
    title: 'No chart moves by itself during the upgrade',
    severity: 'recommended',
    reads: ['gitOps'],
    remediation: 'Pin the version, or suspend the object during the upgrade.',
    source: 'https://fluxcd.io/flux/components/helm/helmreleases/#version',
    look({ gitOps }) {
      const open = gitOps.filter(({ range }) => range);
      if (open.length === 0) return { pass: 'Every chart that GitOps delivers has one version.' };
      return {
        fail: `${count(open.length, 'chart')} with a range of versions: a new release is installed on any day.`,
        resources: open.map((each) => ({ ...resourceOf(each.kind, each), note: `${each.chart} ${each.version}` })),
      };
    },
  }),
  check({
    code: 'OWN003',
    area: 'Ownership',
    title: 'Belay and Temporal run somewhere else',
    severity: 'recommended',
    reads: ['workloads'],
    remediation: 'Run them on another cluster: they survive restarts, but nobody watches while their nodes are replaced.',
    source: 'docs/operate/on-call.md',
    look({ workloads }) {
      const own = workloads.filter((each) => isOf(each, BELAY_IMAGE) || isOf(each, TEMPORAL_IMAGE));
      if (own.length === 0) return { pass: 'Neither Belay nor Temporal runs on this cluster.' };
      return {
        fail: `${someOf(own.map(({ name }) => name))} ${agree(own.length, 'runs', 'run')} on this cluster.`,
        resources: own.map((each) => resourceOf(each.kind, each)),
      };
    },
  }),
];
