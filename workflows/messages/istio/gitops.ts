/** Istio's revisions through Flux or Argo CD: the new one's object as a copy of the old one's, istio-base patched, the old one removed. */
import type { ValueEdit } from '../../../activities/contract/delivery.ts';
import { objectTitle } from '../../../domain/core/text.ts';
import type { DeliveredChart } from '../../../domain/facts/facts.ts';
import type { GateEvidence } from '../../../domain/gates/gate.ts';
import type { NodeAgentChange } from '../../../domain/plan/model/changes.ts';
import { type ChangeRequest, type GateText, info, type Note } from '../note.ts';

type ObjectRef = Pick<DeliveredChart, 'kind' | 'namespace' | 'name'>;

/** Slack shows so much of a message; a manifest that is cut would be none. */
const SHOWN = 1_900;

export const readingDelivery = (revision: string): string => `Reading what delivers Istio revision ${revision}.`;

export const askedAsAWhole = (why: string, revision: string): Note =>
  info(`Istio: ${why}, so Belay asks for revision ${revision} as a whole.`);

/** `version`: "1.28.3", "the newest patch of 1.28". */
export interface RevisionToInstall {
  fromRevision: string;
  toRevision: string;
  version: string;
  /** undefined: nothing of GitOps delivers it. */
  base: { chart: ObjectRef & { version: string; owner?: string | undefined }; ahead: boolean; changes: readonly string[] } | undefined;
  old: ObjectRef & { version: string };
  fresh: { chart: ObjectRef; owner?: string | undefined; changes: readonly string[] };
}

export function installRevisionGate(revision: RevisionToInstall): GateText {
  const { fromRevision, toRevision, fresh } = revision;
  return {
    title: `Install Istio revision ${toRevision} beside ${fromRevision}?`,
    next: 'istio-base, with the CRDs that all revisions share, is upgraded first. Nothing uses the new revision before its first wave.',
    evidence: evidenceOf(revision),
    undo: `Deleting ${objectTitle(fresh.chart)} removes the new revision, as long as no wave has moved; the CRDs of istio-base stay, since both revisions use them.`,
    choices: [
      { id: 'approve', label: 'Approve', style: 'primary', does: 'Continues with what the gate describes.' },
      { id: 'look-again', label: 'Look again', does: 'Reads the objects again.' },
      {
        id: 'reject',
        label: 'Not now',
        style: 'danger',
        does: 'Leaves Istio as it is; the step fails, and you are asked what to do next.',
      },
    ],
  };
}

/** Values: only the places that differ; what else stands there may be secret. */
function evidenceOf({ base, old, fresh, version }: RevisionToInstall): GateEvidence[] {
  const baseLines =
    base === undefined
      ? ['no GitOps object delivers istio-base: make sure that the CRDs of the new version are installed before you approve']
      : [
          base.ahead
            ? `${objectTitle(base.chart)}: already at ${base.chart.version}`
            : `${objectTitle(base.chart)}: ${base.chart.version} → ${version}${keptBy(base.chart.owner)}`,
          ...base.changes,
        ];
  return [
    { title: 'istio-base', lines: baseLines },
    {
      title: `${objectTitle(fresh.chart)}, a copy of ${objectTitle(old)}`,
      lines: [
        `chart istiod: ${old.version} → ${version}${keptBy(fresh.owner)}`,
        ...fresh.changes,
        'everything else unchanged, including valuesFrom and value files',
      ],
    },
  ];
}

const keptBy = (owner: string | undefined): string => (owner === undefined ? '' : ` (requested, because ${owner} manages it from Git)`);

/** `toVersion` undefined: the newest patch of `toMinor`. */
export function mergeBase(
  chart: ObjectRef & { version: string },
  { toVersion, toMinor, fromRevision }: { toVersion?: string; toMinor: string; fromRevision: string },
  { changes, owner, managedBy }: { changes: readonly string[]; owner: string; managedBy: string },
): ChangeRequest {
  const also = changes.length === 0 ? 'its values unchanged' : `with ${changes.join(', ')}`;
  return {
    ask: { component: 'istio-base', name: chart.name, version: toVersion ?? toMinor, managedBy },
    text:
      `Please merge istio-base (chart base) ${chart.version} → ${toVersion ?? `the newest ${toMinor}`} in ${objectTitle(chart)}, ${also}: ` +
      `defaultRevision stays as it is until ${fromRevision} is retired. ${owner} manages it from Git, so a change in the cluster would be reverted. ` +
      'Belay watches it and continues by itself once it is delivered.',
  };
}

export const creatingRevision = (object: string, toRevision: string, copyOf: string): string =>
  `Creating ${object} for Istio revision ${toRevision}, as a copy of ${copyOf}.`;

export const revisionCreated = (
  object: string,
  { version, toRevision, fromRevision }: { version: string; toRevision: string; fromRevision: string },
): Note => info(`Istio: ${object} delivers istiod ${version} as revision ${toRevision}, beside ${fromRevision}.`);

/** `withheld`: places of the manifest that may be secret are not shown. */
export function addRevision(
  toRevision: string,
  version: string,
  {
    old,
    fresh,
    managedBy,
  }: {
    old: ObjectRef;
    fresh: { chart: ObjectRef; owner?: string | undefined; manifest: string; withheld: boolean; changes: readonly string[] };
    managedBy: string;
  },
): ChangeRequest {
  const { chart, owner, manifest, withheld, changes } = fresh;
  const file =
    manifest.length <= SHOWN
      ? `\n\`\`\`\n${manifest}\`\`\`\n${withheld ? 'Copy the places marked (withheld) from the old one. ' : ''}`
      : ` with these changes: name ${chart.name}, chart version ${version}, ${changes.join(', ')}. `;
  return {
    ask: { component: 'istio', name: toRevision, version, managedBy },
    text:
      `Please add ${objectTitle(chart)} to Git, beside ${objectTitle(old)}, which ${owner ?? 'somebody'} manages from there: a copy of it${file}` +
      'Belay watches and continues by itself once it is delivered; any name will do.',
  };
}

/** What removes a revision from Git. `cannot`: why Belay could not delete the object even if nobody kept it. */
export function removeFromGit(
  { object, revision, successor }: { object: string; revision: string; successor: string },
  {
    owner,
    cannot,
    kind,
    managedBy,
  }: { owner?: string | undefined; cannot?: string | undefined; kind: DeliveredChart['kind']; managedBy: string },
): ChangeRequest {
  const prune =
    kind === 'HelmRelease'
      ? `${owner?.startsWith('ResourceSet ') === true ? 'Its annotation fluxcd.controlplane.io/prune must not say disabled' : 'Its Kustomization has to prune (spec.prune: true)'}; otherwise delete the HelmRelease as well, which uninstalls the chart.`
      : 'Its parent has to prune, and the Application needs the finalizer resources-finalizer.argocd.argoproj.io; otherwise what it installed stays.';
  const what = cannot === undefined ? object : `istiod of revision ${revision} from ${object}`;
  return {
    ask: { component: 'istio-retire', name: revision, version: successor, managedBy },
    text: `Please remove ${what} in Git: ${cannot ?? `${owner ?? ''} manages it from there`}. ${prune} Belay continues once revision ${revision} is gone.`,
  };
}

export const removingObject = (object: string, revision: string): string =>
  `Removing ${object}, and with it istiod and the webhooks of revision ${revision}.`;

/** `manifest`: the way back, where it can be shown. */
export const revisionRemoved = (object: string, revision: string, manifest: string | undefined): Note =>
  info(
    `Istio: removing ${object}, which delivers revision ${revision}.${
      manifest === undefined || manifest.length > SHOWN ? '' : `\nTo go back, apply this again:\n\`\`\`\n${manifest}\`\`\``
    }`,
  );

export const mergeAgent = (
  { kind, from, toMinor }: NodeAgentChange,
  chart: ObjectRef & { chart: string },
  { owner, managedBy, values = [] }: { owner: string; managedBy: string; values?: readonly ValueEdit[] | undefined },
): ChangeRequest => ({
  ask: { component: 'istio-agent', name: kind, version: toMinor, managedBy },
  text:
    `Please merge ${kind} (chart ${chart.chart}) ${from} → the newest ${toMinor} in ${objectTitle(chart)}, without image tags in its values${hubWords(values)}: ` +
    `${owner} manages it from Git. Belay continues by itself once it is delivered.`,
});

/** Where values name no registry, the chart's own would end. */
function hubWords(values: readonly ValueEdit[]): string {
  const set = values.filter(({ value }) => value !== undefined).map(({ path, value }) => `\`${path.join('.')}: ${String(value)}\``);
  return set.length === 0 ? '' : ` and with ${set.join(', ')}, because the registry that the chart has by default closes in December 2026`;
}
