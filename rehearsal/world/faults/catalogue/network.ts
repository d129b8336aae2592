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

/** What happens to the connections to somebody, and the usual value. */
const KINDS: Record<NetworkKind, { happens: (who: string) => string; value: NonNullable<Fault['value']> }> = {
  latency: {
    happens: (who) => `each answer${who === '' ? '' : ` of ${who}`} is this late, for five minutes`,
    value: { kind: 'delay', default: '2s' },
  },
  cut: {
    happens: (who) => `no byte gets through${who === '' ? '' : ` to ${who}`}, and no connection closes`,
    value: { kind: 'duration', default: '2m' },
  },
  reset: { happens: (who) => `connections${who === '' ? '' : ` to ${who}`} are reset`, value: { kind: 'duration', default: '2m' } },
  'slow-close': { happens: (who) => `connections${who === '' ? '' : ` to ${who}`} close late`, value: { kind: 'duration', default: '5m' } },
};

/** The four of an area. `who` for people, `belay` what Belay does. */
export function networkFaults(area: Area & NetworkArea, who: string, belay: string): Fault[] {
  return NETWORK_KINDS.map((kind) => ({
    name: `${area}:${kind}`,
    happens: `${KINDS[kind].happens(who)} (through a proxy)`,
    cases: CASES[area][kind],
    belay,
    value: KINDS[kind].value,
    at: 'control-plane',
  }));
}

/** The four kinds, whatever their area: "cut=2m", and what happens. */
export const networkKinds = (): { name: string; happens: string }[] =>
  NETWORK_KINDS.map((kind) => ({ name: `${kind}=${KINDS[kind].value.default}`, happens: KINDS[kind].happens('') }));

/** Area and kind of a network fault's name; undefined for the others. */
export function networkFault(name: string): { area: NetworkArea; kind: NetworkKind } | undefined {
  const [areaText, kindText] = name.split(':');
  const area = NETWORK_AREAS.find((one) => one === areaText);
  const kind = NETWORK_KINDS.find((one) => one === kindText);
  return area === undefined || kind === undefined ? undefined : { area, kind };
}
