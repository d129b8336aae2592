/** Faults of Slack, Prometheus and Temporal. */
import type { Fault } from '../fault.ts';
import { networkFaults } from './network.ts';

const NO_ORDERS = 'a real Prometheus answers from its scrapes; prometheus:cut and prometheus:reset work';

export const OTHER_FAULTS: readonly Fault[] = [
  {
    name: 'slack:down',
    happens: 'the Web API answers 503 and sockets close',
    cases: ['S1', 'S2'],
    belay: 'keeps the gate in Temporal and posts when Slack is back; the command line can decide meanwhile',
    value: { kind: 'duration', default: '10m' },
    at: 'GATE',
  },
  {
    name: 'slack:rate-limit',
    happens: 'Slack answers 429 with Retry-After',
    cases: ['S18'],
    belay: 'waits as long as Slack says; no step waits for it',
    value: { kind: 'times', default: '3' },
  },
  {
    name: 'slack:lost-response',
    happens: 'a message is posted and the answer is lost',
    cases: ['S19'],
    belay: 'finds its message by its metadata instead of posting again',
    value: { kind: 'times', default: '1' },
    at: 'GATE',
  },
  {
    name: 'slack:hang',
    happens: 'a call is never answered',
    cases: ['S1'],
    belay: 'gives up after its time-out and repeats it',
    value: { kind: 'times', default: '1' },
    at: 'GATE',
  },
  {
    name: 'slack:recycle',
    happens: "Slack closes the app's socket",
    cases: ['S21'],
    belay: 'connects again',
    at: 'GATE',
  },
  ...networkFaults('slack', "Slack's Web API and its socket", 'reconnects, repeats, and finds what was posted'),
  {
    name: 'prometheus:down',
    happens: 'Prometheus answers 503',
    cases: ['K20'],
    belay: 'treats what it cannot see as unknown, not healthy',
    value: { kind: 'duration', default: '10m' },
    twinOnly: NO_ORDERS,
  },
  {
    name: 'prometheus:empty',
    happens: 'queries have no result',
    cases: ['K20'],
    belay: 'treats no series as unknown, not zero',
    value: { kind: 'duration', default: '10m' },
    twinOnly: NO_ORDERS,
  },
  {
    name: 'prometheus:hang',
    happens: 'a query is never answered',
    cases: ['K20'],
    belay: 'gives up after its time-out',
    value: { kind: 'times', default: '1' },
    twinOnly: NO_ORDERS,
  },
  {
    name: 'prometheus:alert',
    happens: 'a critical alert fires, for this many looks at the alerts',
    cases: ['P5'],
    belay: 'waits before what cannot be undone, and continues once it is resolved',
    value: { kind: 'times', default: '20' },
    at: 'control-plane',
    twinOnly: NO_ORDERS,
  },
  {
    name: 'prometheus:slow-api',
    happens: 'the API server answers twenty times as late, for this many looks at its latency',
    cases: ['K20'],
    belay: 'holds the next step and asks',
    value: { kind: 'times', default: '5' },
    at: 'control-plane',
    twinOnly: NO_ORDERS,
  },
  ...networkFaults('prometheus', 'Prometheus', 'treats what it cannot see as unknown'),
  ...networkFaults(
    'temporal',
    'Temporal',
    'reconnects; the run continues where it was, and the answer to a click says that it may be repeated',
  ),
];
