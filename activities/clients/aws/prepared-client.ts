/** What every AWS client of Belay's does beside its calls: refuses changes where only reads are allowed, renews an expired session once, and counts what it sends. */
import { counted } from '../../runtime/external-calls.ts';
import { mayCallAws } from '../only-reads.ts';
import { type Renewable, renewsExpired } from './credentials.ts';

/** What the SDK says of the call that a middleware is in. */
interface CallContext {
  clientName?: string;
  commandName?: string;
}

interface Counting {
  middlewareStack: { add(middleware: typeof countEach, options: typeof EACH_ATTEMPT): void };
}

declare const countEach: <Args, Result>(next: (args: Args) => Promise<Result>, context: CallContext) => (args: Args) => Promise<Result>;

/** Within the SDK's own retries, which are at high priority: each attempt that AWS throttles counts. */
const EACH_ATTEMPT = { step: 'finalizeRequest', priority: 'low', name: 'belayCountsCalls' } as const;

/** The client itself. */
export function prepared<Client extends Renewable & Counting>(client: Client): Client {
  const each: typeof countEach = (next, context) => async (args) => {
    const call = callOf(context);
    mayCallAws(call.service, call.operation);
    return await counted(call, async () => await next(args));
  };
  renewsExpired(client).middlewareStack.add(each, EACH_ATTEMPT);
  return client;
}

/** EKSClient and DescribeClusterCommand: eks, DescribeCluster. */
function callOf({ clientName = 'AWS', commandName = 'unknown' }: CallContext): { service: string; operation: string } {
  return { service: clientName.replace(/Client$/, '').toLowerCase(), operation: commandName.replace(/Command$/, '') };
}
