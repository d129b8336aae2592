/** The object that delivers a new revision, as a copy of the old one's: version, revision and names changed, everything else kept. Pure. */
import { stringify } from 'yaml';
import type { DeliveredChart } from '../../../domain/facts/facts.ts';
import { type Application, APPLICATIONS, type Source } from '../../kubernetes/gitops/argo-cd.ts';
import {
  hasOtherValues,
  HELM_RELEASES,
  type HelmRelease,
  OCI_REPOSITORIES,
  type OciRepository,
  refFor,
} from '../../kubernetes/gitops/flux.ts';
import { changeLines, edited, editedSection, hasValueFiles, type Values, valuesOfSection } from '../../kubernetes/gitops/chart-values.ts';
import { writtenFor } from '../../kubernetes/gitops/wanted-version.ts';
import { redact } from '../../runtime/redact.ts';
import { lastingHub, movedValues, PINS } from './helm-values.ts';
import type { ValueEdit } from '../../contract/delivery.ts';
import { defined } from '../../../domain/core/defined.ts';

export interface Body {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace: string; labels?: object; annotations?: Record<string, string>; finalizers?: string[] };
  spec: Record<string, unknown>;
}

export interface RevisionCopy {
  chart: DeliveredChart;
  /** In the order in which they are to be made. */
  bodies: { plural: string; body: Body }[];
  /** Values that differ from the old object's, one line each. */
  changes: string[];
}

export interface CopyOptions {
  from: string;
  to: string;
  /** Version or minor of the chart. */
  version: string;
}

/** What is the tools' own bookkeeping, or Belay's. */
const BOOKKEEPING =
  /^(?:kubectl\.kubernetes\.io\/last-applied-configuration|reconcile\.fluxcd\.io\/.*|argocd\.argoproj\.io\/refresh|belay\.dev\/.*)$/;
/** Strings under such keys are withheld from texts. */
const SECRET_KEY = /(?:password|passwd|token|secret|credentials?|private_?key|api_?key)$/i;

/**
 * Tags belong to the old revision until they are moved: two owners would fight for their webhooks. `others`: values come from references that are not
 * read; they may name a mirror, which a value in the object itself would override.
 */
export function revisionEdits({ to, version }: Pick<CopyOptions, 'to' | 'version'>, values: Values, others: boolean): ValueEdit[] {
  const unpinned = PINS.map((path) => ({ path }));
  return [
    { path: ['revision'], value: to },
    { path: ['revisionTags'] },
    ...unpinned,
    ...movedValues(values),
    ...(others ? [] : lastingHub(values, version)),
  ];
}

/** "istiod-1-26" for 1-28 is "istiod-1-28"; a name without the old revision gets the new one as its end. */
export function renamed(name: string, { from, to }: CopyOptions): string {
  const parts = new RegExp(`(^|-)${from}(?=-|$)`);
  return parts.test(name) ? name.replace(parts, `$1${to}`) : `${name}-${to}`;
}

export function copyOfRelease(release: HelmRelease, repository: OciRepository | undefined, options: CopyOptions): RevisionCopy {
  const { suspend: _suspend, values = {}, releaseName, chart, chartRef, ...spec } = release.spec ?? {};
  const edits = revisionEdits(options, values, hasOtherValues(release));
  const namespace = release.metadata.namespace ?? '';
  const written = writtenFor(options.version);
  const named = renamed(release.metadata.name, options);
  const copied = repository === undefined ? undefined : repositoryCopy(repository, options);
  const body: Body = {
    apiVersion: HELM_RELEASES.apiVersion,
    kind: 'HelmRelease',
    metadata: metadataOf(release, named),
    spec: {
      ...renamedTargets(spec, options),
      ...(releaseName === undefined ? {} : { releaseName: renamed(releaseName, options) }),
      ...(chart === undefined ? {} : { chart: { ...chart, spec: { ...chart.spec, version: written } } }),
      ...(chartRef === undefined || copied === undefined ? {} : { chartRef: { ...chartRef, name: copied.metadata.name } }),
      values: edited(values, edits),
    },
  };
  return {
    chart: {
      kind: 'HelmRelease',
      namespace,
      name: named,
      chart: 'istiod',
      version: written,
      ...(copied === undefined ? {} : { repository: { namespace: copied.metadata.namespace, name: copied.metadata.name } }),
    },
    bodies: [...(copied === undefined ? [] : [{ plural: OCI_REPOSITORIES.plural, body: copied }]), { plural: HELM_RELEASES.plural, body }],
    changes: changeLines(values, edits),
  };
}

function repositoryCopy(repository: OciRepository, options: CopyOptions): Body {
  const { suspend: _suspend, ref = {}, ...spec } = repository.spec ?? {};
  const metadata = metadataOf(repository, renamed(repository.metadata.name, options));
  return { apiVersion: OCI_REPOSITORIES.apiVersion, kind: 'OCIRepository', metadata, spec: { ...spec, ref: refFor(ref, options.version) } };
}

/** Of an Application with one source. */
export function copyOfApplication(application: Application, options: CopyOptions): RevisionCopy {
  const { source = {}, ...spec } = application.spec ?? {};
  const { helm = {}, ...from } = source;
  const edits = revisionEdits(options, valuesOfSection(helm), hasValueFiles(helm));
  const section = editedSection(helm, edits);
  const releaseName = helm.releaseName === undefined ? {} : { releaseName: renamed(helm.releaseName, options) };
  const written = writtenFor(options.version);
  const copied: Source = { ...from, targetRevision: written, helm: { ...section, ...releaseName } };
  const metadata = metadataOf(application, renamed(application.metadata.name, options));
  const { finalizers } = application.metadata;
  const body: Body = {
    apiVersion: APPLICATIONS.apiVersion,
    kind: 'Application',
    metadata: { ...metadata, ...defined({ finalizers }) },
    spec: { ...renamedTargets(spec, options), source: copied },
  };
  return {
    chart: { kind: 'Application', namespace: metadata.namespace, name: metadata.name, chart: 'istiod', version: written },
    bodies: [{ plural: APPLICATIONS.plural, body }],
    changes: changeLines(valuesOfSection(helm), edits),
  };
}

function metadataOf({ metadata }: HelmRelease | OciRepository | Application, name: string): Body['metadata'] {
  const { namespace = '', labels, annotations = {} } = metadata;
  const kept = Object.fromEntries(Object.entries(annotations).filter(([key]) => !BOOKKEEPING.test(key)));
  return { name, namespace, ...defined({ labels }), ...(Object.keys(kept).length === 0 ? {} : { annotations: kept }) };
}

/**
 * What the tools are told to leave alone is told by name: istiod fills in the CA bundles of its webhooks, and a copy that named the old ones would
 * have the tool fight for the new ones'.
 */
function renamedTargets(spec: Record<string, unknown>, options: CopyOptions): Record<string, unknown> {
  const targeted = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(targeted);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [
        key,
        key === 'name' && typeof inner === 'string' ? targetName(inner, options) : targeted(inner),
      ]),
    );
  };
  const listed = ['ignoreDifferences', 'driftDetection', 'postRenderers'].filter((key) => key in spec);
  return { ...spec, ...Object.fromEntries(listed.map((key) => [key, targeted(spec[key])])) };
}

function targetName(name: string, options: CopyOptions): string {
  const { from, to } = options;
  if (from !== 'default') return renamed(name, options) === `${name}-${to}` ? name : renamed(name, options);
  return name.replace(/^(istio-sidecar-injector|istio-validator|istiod)(?=$|-istio-system$)/, `$1-${to}`);
}

/** As YAML for people, without what may be secret. `withheld`: there was such a thing. */
export function manifestOf(bodies: readonly { body: Body }[]): { text: string; withheld: boolean } {
  let withheld = false;
  const clean = (value: unknown, key = ''): unknown => {
    if (typeof value === 'string' && SECRET_KEY.test(key)) {
      withheld = true;
      return '(withheld)';
    }
    if (Array.isArray(value)) return value.map((each) => clean(each));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, clean(inner, name)]));
  };
  const text = bodies.map(({ body }) => stringify(clean(body), { lineWidth: 0 })).join('---\n');
  const safe = redact(text);
  return { text: safe, withheld: withheld || safe !== text };
}
