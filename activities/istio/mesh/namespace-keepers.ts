/** Whether a namespace's labels of Istio are declared elsewhere: then a patch would be put back, within seconds or at the next interval. */
import { z } from 'zod';
import { KEEPERS } from '../../../domain/facts/owners.ts';
import { deliveredBy, FIELD_MANAGERS } from '../../kubernetes/gitops/owner-marks.ts';
import { readJson } from '../../runtime/read-json.ts';
import type { Namespace } from '../../clients/kubernetes/objects.ts';
import { INJECTION, REV } from './inventory.ts';

const LABELS = [REV, INJECTION];
/** Left by kubectl, and by Argo CD where it does not apply on the server. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

const Applied = z.object({ metadata: z.object({ labels: z.record(z.string(), z.string()).optional() }) });
const Fields = z.object({ 'f:metadata': z.object({ 'f:labels': z.record(z.string(), z.unknown()).optional() }).optional() });

/**
 * Who keeps the labels by which the namespace selects its revision; undefined: nobody, or somebody who does not declare these. Where the marks do
 * not tell what is declared, it counts as declared: a merge too many is better than a namespace that falls back unseen.
 */
export function labelKeeper({ metadata }: Namespace): string | undefined {
  const by = deliveredBy(metadata);
  if (by === undefined || by === 'helm') return undefined;
  const { annotations = {}, managedFields = [] } = metadata;
  const applied = readJson(annotations[LAST_APPLIED], Applied);
  const fields = managedFields
    .filter(({ manager = '' }) => FIELD_MANAGERS[by].test(manager))
    .map(({ fieldsV1 }) => Fields.safeParse(fieldsV1).data);
  const declared = [
    ...(applied === undefined ? [] : [Object.keys(applied.metadata.labels ?? {})]),
    ...fields
      .filter((each) => each !== undefined)
      .map((each) => Object.keys(each['f:metadata']?.['f:labels'] ?? {}).map((key) => key.replace(/^f:/, ''))),
  ];
  const known = declared.length > 0;
  return known && !declared.flat().some((key) => LABELS.includes(key)) ? undefined : KEEPERS[by];
}
