/** Does what `parse-steering` has read. */
import { type Listener, tell } from '../interaction/reply.ts';
import { historyBlocks } from '../blocks/history.ts';
import { sendAndTell } from '../interaction/send-and-reply.ts';
import type { SlackDeps } from '../interaction/deps.ts';
import { failedGateIn, gateIn, onlyGateIn } from '../../client/reading/open-gate.ts';
import type { Steering } from './commands/parse-steering.ts';
import { showGate } from './decide.ts';
import { postRecord } from './report.ts';
import type { Actor } from '../../domain/gates/actor.ts';
import { handOver, openHandOverForm } from './hand-over.ts';

/** `requestId`: the command's trigger id; delivered twice it acts once, and it opens forms. */
export async function runSteering(deps: SlackDeps, parsed: Steering, actor: Actor, requestId: string, listener: Listener): Promise<void> {
  const { upgrades } = deps;
  const { cluster } = parsed;
  switch (parsed.kind) {
    case 'decide':
      return await showGate(deps, parsed, listener);
    case 'failed': {
      const { choice, reason } = parsed;
      return await sendAndTell(deps, listener, async () => {
        const gate = failedGateIn(await upgrades.status(cluster), choice);
        return await upgrades.decide({ cluster, ...gate, choice, actor, reason });
      });
    }
    case 'extend': {
      const { gate, byMs, reason } = parsed;
      return await sendAndTell(deps, listener, async () => {
        const answer = await upgrades.status(cluster);
        const { gateId, workflowId, run } = gate === undefined ? onlyGateIn(answer) : gateIn(answer, gate);
        return await upgrades.extend({ cluster, gateId, workflowId, run, byMs, actor, reason, requestId });
      });
    }
    case 'handover':
      return await handOver(deps, listener, { cluster, to: { kind: 'slack', id: parsed.to }, actor, reason: parsed.reason, requestId });
    case 'handover-form':
      return await openHandOverForm(deps, listener, { triggerId: requestId, of: { cluster }, again: 'Type the command again.' });
    case 'history':
      return await tell(listener, historyBlocks(cluster, await deps.clusters.recordsOf(cluster)));
    case 'report':
      return await postRecord(deps, cluster, listener);
  }
}
