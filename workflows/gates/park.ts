/** Parks a run at a gate that closes by itself once what it waits for has come, or at which people decide otherwise. */
import { CancellationScope } from '@temporalio/workflow';
import type { GateState } from '../../domain/gates/gate.ts';
import type { Gatekeeper } from './gatekeeper.ts';
import type { GateRequest } from './gate-request.ts';

interface Parking {
  gates: Pick<Gatekeeper, 'ask'>;
  /** Ends when what is waited for has come; where it fails, people are asked until the gate expires. */
  watch: () => Promise<unknown>;
  /** What has come then: "a maintenance window is open". */
  come: string;
  request: GateRequest;
}

/** undefined: it has come, as far as has been seen. */
export async function park({
  gates,
  watch,
  come,
  request,
}: Parking): Promise<Exclude<GateState, { kind: 'open' | 'withdrawn' }> | undefined> {
  let seen: string | undefined;
  const watching = new CancellationScope({ cancellable: true });
  // Not waited for after its cancellation: its end must not race those of local activities, which a replay sees at other moments.
  void watching.run(watch).then(
    () => void (seen = come),
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
