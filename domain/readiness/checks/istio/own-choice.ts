/** Workloads that choose their revision by a label of their own. Waves move what namespaces choose, so these stay where they are. */
import { formatKubernetesVersion } from '../../../core/version.ts';
import { tryComponentVersion } from '../../../core/component-version.ts';
import { count, someOf } from '../../../core/text.ts';
import { istioSupport } from '../../../tables/istio.ts';
import type { OwnChoiceFact } from '../../../facts/facts.ts';
import type { Check, Resource } from '../../model/check.ts';
import { istioCheck } from './typed-check.ts';

export const choiceResource = ({ kind, namespace, name, label }: OwnChoiceFact): Resource => ({ kind, namespace, name, note: label });

export const ownChoiceCheck: Check = istioCheck({
  code: 'IST015',
  title: 'Workloads that choose their own revision can keep it',
  severity: 'required',
  reads: ['istio'],
  remediation: 'Label their namespaces, which waves move, or choose a newer revision in their templates.',
  source: 'https://istio.io/latest/docs/setup/additional-setup/sidecar-injection/',
  look({ ownChoice = [], revisions }, _, { from, hops }) {
    const minors = [from, ...hops];
    const judged = ownChoice.flatMap((choice) => {
      const fact = revisions.find(({ revision }) => revision === choice.revision);
      if (fact === undefined) return [];
      const version = tryComponentVersion(fact.version);
      const support = minors.map((minor) => (version === undefined ? 'unknown' : istioSupport(version, minor)));
      return [{ choice, version: fact.version, support }];
    });
    const bad = judged.filter(({ support }) => support.includes('unsupported'));
    const wanted = minors.map(formatKubernetesVersion).join(', ');
    if (bad.length > 0) {
      return {
        fail: `${count(bad.length, 'workload')} that no wave moves, on Istio ${versionsOf(bad)}, which does not support all of ${wanted}.`,
        resources: bad.map(({ choice }) => choiceResource(choice)),
      };
    }
    const blind = judged.filter(({ support }) => support.includes('unknown'));
    if (blind.length > 0)
      return {
        unknown: `Whether Istio ${versionsOf(blind)}, which ${count(blind.length, 'workload')} outside of all waves use, supports ${wanted} is not known.`,
      };
    return { pass: ownChoice.length === 0 ? 'No workload chooses its own revision.' : `Their revisions support ${wanted}.` };
  },
});

const versionsOf = (judged: readonly { version: string }[]): string => someOf([...new Set(judged.map(({ version }) => version))]);
