/**
 * What an account uses of its quotas for running instances, as EC2 publishes it. Classes as in answers of GetServiceQuota that people have posted (AWS CLI
 * Reference, get-service-quota: Standard/OnDemand); of other quotas the stand-in publishes nothing.
 */
import type { World } from '../../world/world.ts';
import { type Instance, instancesOf } from '../instances.ts';

const CLASSES: Readonly<Record<string, { quota: string; counts: (instance: Instance) => boolean }>> = {
  'Standard/OnDemand': { quota: 'L-1216C47A', counts: ({ type, spot }) => !spot && STANDARD.test(type) },
  'Standard/Spot': { quota: 'L-34B43A08', counts: ({ type, spot }) => spot && STANDARD.test(type) },
  'F/OnDemand': { quota: 'L-74FC7D96', counts: ({ type, spot }) => !spot && /^f\d/.test(type) },
  'G/OnDemand': { quota: 'L-DB2E81BA', counts: ({ type, spot }) => !spot && /^(?:gr?|vt)\d/.test(type) },
  'Inf/OnDemand': { quota: 'L-1945791B', counts: ({ type, spot }) => !spot && /^inf\d/.test(type) },
  'P/OnDemand': { quota: 'L-417A185B', counts: ({ type, spot }) => !spot && /^p\d/.test(type) },
  'X/OnDemand': { quota: 'L-7295265B', counts: ({ type, spot }) => !spot && /^x\d/.test(type) },
};
const STANDARD = /^(?:[acdhmrtz]|i[ms]?)\d/;

const dimensionsOf = (each: string) => ({ Class: each, Resource: 'vCPU', Service: 'EC2', Type: 'Resource' });

/** UsageMetric of a quota. */
export function usageMetricOf(code: string): Record<string, unknown> | undefined {
  const found = Object.keys(CLASSES).find((each) => CLASSES[each]?.quota === code);
  if (found === undefined) return undefined;
  return {
    MetricNamespace: 'AWS/Usage',
    MetricName: 'ResourceCount',
    MetricDimensions: dimensionsOf(found),
    MetricStatisticRecommendation: 'Maximum',
  };
}

/** The dimensions have to be exactly those of the metric. */
export function usedVcpus(worlds: readonly World[], dimensions: readonly { Name: string; Value: string }[]): number | undefined {
  const asked = Object.fromEntries(dimensions.map(({ Name, Value }) => [Name, Value]));
  const { counts } = CLASSES[asked['Class'] ?? ''] ?? {};
  const exact = Object.entries(dimensionsOf(asked['Class'] ?? '')).every(([name, value]) => asked[name] === value);
  if (counts === undefined || !exact || dimensions.length !== 4) return undefined;
  return worlds.flatMap(instancesOf).reduce((sum, instance) => sum + (counts(instance) ? instance.vcpus : 0), 0);
}
