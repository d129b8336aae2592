/** Parks a run at a gate that closes once what it waits for has come, unless somebody decides otherwise before. */
import { CancellationScope } from '@temporalio/workflow';
import type { GateState } from '../../domain/gates/gate.ts';
import type { Gatekeeper } from './gatekeeper.ts';
import type { GateRequest } from './gate-request.ts';

interface Parking<Seen> {
  gates: Pick<Gatekeeper, 'ask'>;
  /** Ends when what is waited for has come; where it fails, the gate stays open until it is decided or expires. */
  watch: () => Promise<Seen>;
  /** What has come then: "a maintenance window is open". */
  come: (seen: Seen) => string;
  request: GateRequest;
}

/** undefined: it has come, as far as has been seen. */
export async function park<Seen>({
  gates,
  watch,
  come,
  request,
}: Parking<Seen>): Promise<Exclude<GateState, { kind: 'open' | 'withdrawn' }> | undefined> {
  let seen: string | undefined;
  const watching = new CancellationScope({ cancellable: true });
  // Not waited for after its cancellation: a decision is not held up by an activity that has yet to notice it.
  void watching.run(watch).then(
    (found) => void (seen = come(found)),
    // Cancelled below; or it cannot be watched.
    () => undefined,
  );
  try {
    const state = await gates.ask(request, () => seen);
    return state.kind === 'withdrawn' ? undefined : state;
  } finally {
    watching.cancel();
  }
}
