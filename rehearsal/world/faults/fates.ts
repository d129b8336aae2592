/** What a fault in force does to a request: refuse it, let it hang, or lose its answer. */
import { serviceError } from './apis/eks-errors.ts';
import type { FaultOrder } from './fault.ts';
import type { Arrival } from './moments.ts';

export type Fate =
  /** Answered with an error of the service's own. */
  | { kind: 'refuse'; status: number; code: string; message: string; retryAfterSec?: number }
  /** Never answered, not served either. */
  | { kind: 'hang' }
  /** Served; the connection ends before the answer. */
  | { kind: 'lose' }
  /** Served with an empty result. */
  | { kind: 'empty' }
  /** A list that comes in small pages, the second of which has expired. */
  | { kind: 'expire' }
  /** Somebody changes the object before the request is served. */
  | { kind: 'overtake' };

type Decide = (arrival: Arrival, order: FaultOrder) => Fate | undefined;

const refuse = (status: number, code: string, message: string, retryAfterSec?: number): Fate => ({
  kind: 'refuse',
  status,
  code,
  message,
  ...(retryAfterSec === undefined ? {} : { retryAfterSec }),
});

const of =
  (api: Arrival['api'], fate: Fate, fits: (arrival: Arrival) => boolean = () => true): Decide =>
  (arrival) =>
    arrival.api === api && fits(arrival) ? fate : undefined;

const mutates = (arrival: Arrival): boolean => arrival.mutates;
const isDescribeUpdate = ({ operation }: Arrival): boolean => operation === 'DescribeUpdate';
const isControlPlaneUpdate = ({ operation }: Arrival): boolean => operation === 'UpdateClusterVersion';
const isList = ({ operation }: Arrival): boolean => operation.startsWith('list ');
const isPost = ({ operation }: Arrival): boolean => operation === 'chat.postMessage';
/** Without it the app cannot come up at all: that is `slack:down`. */
const isNoConnection = ({ operation }: Arrival): boolean => operation !== 'apps.connections.open' && operation !== 'auth.test';

/** Texts are the services' own. */
const FATES: Partial<Record<FaultOrder['name'], Decide>> = {
  'eks:throttle': of('eks', refuse(429, 'ThrottlingException', 'Rate exceeded')),
  'eks:error': (arrival, { word }) => {
    const error = arrival.api === 'eks' ? serviceError(word, arrival) : undefined;
    return error && { kind: 'refuse', ...error };
  },
  'eks:lost-response': of('eks', { kind: 'lose' }, mutates),
  'eks:hang': of('eks', { kind: 'hang' }),
  'eks:access-denied': of('eks', refuse(403, 'AccessDeniedException', 'User is not authorized to perform this action on this resource')),
  'eks:expired-token': of('eks', refuse(403, 'ExpiredTokenException', 'The security token included in the request is expired')),
  'eks:update-unknown': of('eks', refuse(404, 'ResourceNotFoundException', 'No update found for the given ID'), isDescribeUpdate),
  'eks:invalid-state': of(
    'eks',
    refuse(400, 'InvalidStateException', 'EKS detected upgrade readiness issues. Use force to override this check.'),
    isControlPlaneUpdate,
  ),
  'eks:cluster-gone': of('eks', refuse(404, 'ResourceNotFoundException', 'No cluster found for the given name.')),
  'kubernetes:401': of('kubernetes', refuse(401, 'Unauthorized', 'Unauthorized')),
  'kubernetes:429': of(
    'kubernetes',
    refuse(429, 'TooManyRequests', 'The server has received too many requests and has asked us to try again later', 1),
  ),
  'kubernetes:410-gone': of('kubernetes', { kind: 'expire' }, isList),
  'kubernetes:half-open': of('kubernetes', { kind: 'hang' }),
  'kubernetes:lost-response': of('kubernetes', { kind: 'lose' }, mutates),
  'kubernetes:conflict': of('kubernetes', { kind: 'overtake' }, mutates),
  'slack:rate-limit': of('slack', refuse(429, 'ratelimited', 'ratelimited', 1), isNoConnection),
  'slack:lost-response': of('slack', { kind: 'lose' }, isPost),
  'slack:hang': of('slack', { kind: 'hang' }, isNoConnection),
  'prometheus:down': of('prometheus', refuse(503, 'unavailable', 'Service Unavailable')),
  'prometheus:empty': of('prometheus', { kind: 'empty' }),
  'prometheus:hang': of('prometheus', { kind: 'hang' }),
};

export function fateOf(order: FaultOrder, arrival: Arrival): Fate | undefined {
  return FATES[order.name]?.(arrival, order);
}
