/** Faults of the network between Belay and a server, made by a real proxy. Toxics: https://github.com/Shopify/toxiproxy, README "Toxics". */
import type { Area, Fault } from '../fault.ts';

export const NETWORK_KINDS = ['latency', 'cut', 'reset', 'slow-close'] as const;
export type NetworkKind = (typeof NETWORK_KINDS)[number];

/** Areas whose connections go through the proxy when such a fault is asked for. */
export const NETWORK_AREAS = ['eks', 'kubernetes', 'slack', 'prometheus', 'temporal'] as const;
export type NetworkArea = (typeof NETWORK_AREAS)[number];

const CASES: Record<NetworkArea, Record<NetworkKind, readonly string[]>> = {
  eks: { latency: [], cut: ['A4'], reset: ['A3'], 'slow-close': [] },
  kubernetes: { latency: [], cut: ['K1', 'K6'], reset: ['K1'], 'slow-close': [] },
  slack: { latency: [], cut: ['S1'], reset: ['S19'], 'slow-close': [] },
  prometheus: { latency: [], cut: ['K20'], reset: ['K20'], 'slow-close': [] },
  temporal: { latency: ['T7'], cut: ['T6'], reset: ['T5'], 'slow-close': [] },
};

/** The four of an area. `who` for people, `belay` what Belay does. */
export function networkFaults(area: Area & NetworkArea, who: string, belay: string): Fault[] {
  const of = (kind: NetworkKind, happens: string, value: Fault['value']): Fault => ({
    name: `${area}:${kind}`,
    happens: `${happens} (through a proxy)`,
    cases: CASES[area][kind],
    belay,
    value,
    at: 'control-plane',
  });
  return [
    of('latency', `each answer of ${who} is this late, for five minutes`, { kind: 'delay', default: '2s' }),
    of('cut', `no byte gets through to ${who}, and no connection closes`, { kind: 'duration', default: '2m' }),
    of('reset', `connections to ${who} are reset`, { kind: 'duration', default: '2m' }),
    of('slow-close', `connections to ${who} close late`, { kind: 'duration', default: '5m' }),
  ];
}

/** Area and kind of a network fault's name; undefined for the others. */
export function networkFault(name: string): { area: NetworkArea; kind: NetworkKind } | undefined {
  const [areaText, kindText] = name.split(':');
  const area = NETWORK_AREAS.find((one) => one === areaText);
  const kind = NETWORK_KINDS.find((one) => one === kindText);
  return area === undefined || kind === undefined ? undefined : { area, kind };
}
