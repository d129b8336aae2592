/** APIs that the target no longer serves, or soon will not, and who still uses them. */
import type { ApiLifecycle } from '../../../tables/api-lifecycle.ts';
import { apiOf, isDeprecated, isDropped, isGone, lifecycleOf, replacementAt } from '../../../tables/api-replacements.ts';
import type { KubernetesVersion } from '../../../core/version.ts';
import { count, someOf } from '../../../core/text.ts';
import { type Check, check, type Resource } from '../../model/check.ts';
import type { Definition, DeprecatedUse, Insight, Shape } from '../../model/evidence.ts';

const GUIDE = 'https://kubernetes.io/docs/reference/using-api/deprecation-guide/';
const DAY_MS = 86_400_000;
/** EKS counts calls of the last thirty days. */
const MEMORY_DAYS = 30;
/** Calls this long ago were made before whatever was repaired since. */
const QUIET_DAYS = 3;

/** Each source that names objects; which of them could not be seen is said by checks of their own. */
type Uses = Pick<{ [S in 'apiMetrics' | 'apiObjects']: Shape<S> }, 'apiMetrics' | 'apiObjects'>;

const usesOf = ({ apiMetrics, apiObjects }: Uses): KnownUse[] => known([...apiMetrics, ...apiObjects]);

interface KnownUse {
  use: DeprecatedUse;
  life: ApiLifecycle;
}

function known(uses: readonly DeprecatedUse[]): KnownUse[] {
  return uses.flatMap((use) => {
    const life = lifecycleOf(use);
    return life === undefined ? [] : [{ use, life }];
  });
}

const apisOf = (uses: readonly KnownUse[]): string => someOf([...new Set(uses.map(({ use }) => apiOf(use)))]);
const releasesOf = (uses: readonly { use: DeprecatedUse }[]): string => someOf([...new Set(uses.flatMap(({ use }) => use.writer ?? []))]);

function resourceOf({ use, life }: KnownUse, target: KubernetesVersion): Resource {
  const writer = use.writer === undefined ? '' : ` by ${use.writer}`;
  const note = `${apiOf(use)}${writer}, gone in ${life.removedIn}; ${insteadOf(life, target)}`;
  if (use.object === undefined) return { kind: use.kind, name: 'called', note };
  return { kind: use.kind, ...use.object, note };
}

function insteadOf(life: ApiLifecycle, target: KubernetesVersion): string {
  if (isDropped(life)) return 'it has no replacement';
  const replacement = replacementAt(life, target);
  return replacement === undefined ? 'see the deprecation guide' : `write ${replacement}`;
}

/** A custom resource in a version that its CRD does not serve (any more). */
function unservedBy(definitions: readonly Definition[], use: DeprecatedUse): { use: DeprecatedUse; resource: Resource }[] {
  const own = definitions.find(({ group, kind }) => group === use.group && kind === use.kind);
  if (own === undefined || own.served.includes(use.version)) return [];
  const note = `${apiOf(use)} by ${use.writer}, which its CRD does not serve; write ${own.group}/${own.storage}`;
  return [{ use, resource: { kind: use.kind, name: use.writer ?? '', ...use.object, note } }];
}

export const apiChecks: readonly Check[] = [
  check({
    code: 'K8S015',
    area: 'Kubernetes',
    title: 'Nobody uses an API the target removes',
    severity: 'required',
    reads: ['apiMetrics', 'apiObjects'],
    remediation: 'Change the manifest at its source (chart, repository, controller), not only the object.',
    source: GUIDE,
    look(seen, { target }) {
      const gone = usesOf(seen).filter(({ life }) => isGone(life, target));
      if (gone.length === 0) return { pass: 'Nothing that is called or stored will be gone.' };
      return {
        fail: `${count(gone.length, 'use')} of what the target does not serve: ${apisOf(gone)}.`,
        resources: gone.map((use) => resourceOf(use, target)),
      };
    },
  }),
  check({
    code: 'K8S016',
    area: 'Kubernetes',
    title: 'Nobody uses a deprecated API',
    severity: 'recommended',
    reads: ['apiMetrics', 'apiObjects'],
    remediation: 'Change the manifest at its source before a later upgrade needs it.',
    source: GUIDE,
    look(seen, { target }) {
      const old = usesOf(seen).filter(({ life }) => !isGone(life, target) && isDeprecated(life, target));
      if (old.length === 0) return { pass: 'Nothing that is called or stored is deprecated.' };
      return {
        fail: `${count(old.length, 'use')} of what is deprecated: ${apisOf(old)}.`,
        resources: old.map((use) => resourceOf(use, target)),
      };
    },
  }),
  check({
    code: 'K8S041',
    area: 'Kubernetes',
    title: 'No Helm release uses a removed API',
    severity: 'required',
    reads: ['helmReleases', 'definitions'],
    remediation: 'Upgrade to a chart with the new version; if the API is gone, helm mapkubeapis repairs the stored release.',
    source: 'https://helm.sh/docs/topics/kubernetes_apis/',
    look({ helmReleases, definitions }, { target }) {
      const uses = known(helmReleases);
      const gone = uses.filter(({ life }) => isGone(life, target));
      const unserved = helmReleases.flatMap((use) => unservedBy(definitions, use));
      const old = uses.filter(({ life }) => !isGone(life, target) && isDeprecated(life, target)).map((use) => resourceOf(use, target));
      const broken = [...gone.map((use) => resourceOf(use, target)), ...unserved.map(({ resource }) => resource)];
      if (broken.length > 0) {
        const releases = releasesOf([...gone, ...unserved]);
        return {
          fail: `${count(broken.length, 'object')} of Helm releases in what is not served: the next helm upgrade of ${releases} fails.`,
          resources: [...broken, ...old],
        };
      }
      if (old.length === 0) return { pass: 'No manifest of a Helm release is in an API that goes.' };
      return { fail: `${count(old.length, 'object')} of Helm releases in what is deprecated.`, severity: 'recommended', resources: old };
    },
  }),
  check({
    code: 'EKS020',
    area: 'EKS',
    title: 'Insights about deprecated APIs are current',
    severity: 'recommended',
    reads: ['insights'],
    remediation: 'Nothing to do if the client is repaired: the insight passes on the named day.',
    source: 'https://docs.aws.amazon.com/eks/latest/userguide/cluster-insights.html',
    look({ insights }, { now }) {
      const stale = insights.insights.flatMap((insight) => staleOf(insight, Date.parse(now)));
      if (stale.length === 0) return { pass: 'No insight is kept up by calls of days ago.' };
      return { fail: `${count(stale.length, 'insight')} kept up by old calls alone.`, resources: stale };
    },
  }),
];

/** An insight that stands although the last call was days ago: it falls off thirty days after that call. */
function staleOf({ name, status, deprecations }: Insight, nowMs: number): Resource[] {
  if (status === 'PASSING') return [];
  const calls = deprecations.flatMap(({ clients }) =>
    clients.flatMap(({ lastRequest }) => (lastRequest === undefined ? [] : [Date.parse(lastRequest)])),
  );
  const lastMs = Math.max(...calls);
  if (calls.length === 0 || nowMs - lastMs < QUIET_DAYS * DAY_MS) return [];
  const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
  return [
    { kind: 'Insight', name, note: `last call on ${day(lastMs)}; it passes on ${day(lastMs + MEMORY_DAYS * DAY_MS)} if none follows` },
  ];
}
