/** How proposals are told: each target is a message of its own in the channel, and its thread. Dismissals are in an audit record. */
import { isCancellation, workflowInfo } from '@temporalio/workflow';
import type { ClusterRef } from '../../../domain/core/cluster-ref.ts';
import type { AuditEvent } from '../../../domain/gates/audit.ts';
import type { UpgradePolicy } from '../../../domain/policy/policy.ts';
import type { RunEvent } from '../../../domain/run/events/event.ts';
import { proposalEvent, unreadEvent } from '../../../domain/run/events/proposal-events.ts';
import type { Notification } from '../../../domain/run/notifications.ts';
import type { KnownProposal } from '../../../domain/run/proposals/state.ts';
import { AuditTrail } from '../../reporting/audit/audit-trail.ts';
import { proposalThread } from '../../contract/proposals.ts';
import { nothingRead } from '../../messages/proposals.ts';
import type { Note } from '../../messages/note.ts';
import { Elsewhere } from '../../reporting/elsewhere.ts';
import { Publisher } from '../../reporting/publisher.ts';

/** What Slack has not taken by then is delivered by a workflow of its own. */
const LAST_WORDS_MS = 10_000;

export class ProposalsVoice {
  readonly #publishers = new Map<string, Publisher>();
  #elsewhere: Elsewhere | undefined;
  #finishedCount = 0;
  #policy: UpgradePolicy | undefined;
  #trail: AuditTrail | undefined;

  /** Channel and quiet hours as they are now. */
  start(policy: UpgradePolicy): void {
    this.#policy = policy;
  }

  /** Posted once, and edited where it was dismissed. */
  propose(known: KnownProposal | undefined): void {
    if (known === undefined) return;
    this.#say(known.proposal.target, { kind: 'proposal', known });
    this.#tellElsewhere(proposalEvent(known));
  }

  unread(why: readonly string[]): void {
    const [note, now] = [nothingRead(why), new Date().toISOString()];
    this.#note(`unread/${now.slice(0, 10)}`, note);
    this.#tellElsewhere(unreadEvent(note.text, now));
  }

  audit(event: AuditEvent): void {
    const region = this.#policy?.cluster.region ?? 'unknown';
    const cluster: ClusterRef = { account: 'campaign', region, name: 'proposals' };
    this.#trail ??= new AuditTrail({ cluster, runId: workflowInfo().firstExecutionRunId, shared: true }, (note) =>
      this.#note('audit-record', note),
    );
    this.#trail.note(event);
  }

  get isQuiet(): boolean {
    return this.#publishers.size === 0 && this.#trail === undefined && this.#elsewhere === undefined;
  }

  /** Delivers what there is, or hands it over. What fails is not told: nothing that is known may be lost for it. */
  async finish(): Promise<void> {
    const trail = this.#trail;
    this.#trail = undefined;
    await trail?.finish(LAST_WORDS_MS);
    const [publishers, elsewhere] = [[...this.#publishers.values()], this.#elsewhere];
    this.#publishers.clear();
    this.#elsewhere = undefined;
    this.#finishedCount += 1;
    const closed = await Promise.allSettled([
      ...publishers.map((publisher) => publisher.close(LAST_WORDS_MS)),
      elsewhere?.close(LAST_WORDS_MS, String(this.#finishedCount)),
    ]);
    for (const each of closed) if (each.status === 'rejected' && isCancellation(each.reason)) throw each.reason;
  }

  /** Nothing is begun where nobody hears of it. */
  #tellElsewhere(event: RunEvent): void {
    const policy = this.#policy;
    if (policy === undefined || !Elsewhere.hears(policy, event.type)) return;
    const { workflowId, firstExecutionRunId: runId } = workflowInfo();
    this.#elsewhere ??= Elsewhere.telling(policy, { workflowId, runId });
    this.#elsewhere?.tell([event]);
  }

  #note(about: string, { text, level = 'info' }: Note): void {
    this.#say(about, { kind: 'note', level, text });
  }

  /** The root of its own thread. */
  #say(about: string, notification: Notification): void {
    const { channel, timing, windows } = this.#policy ?? {};
    if (channel === undefined || timing === undefined) return;
    const { firstExecutionRunId: runId } = workflowInfo();
    const publisher =
      this.#publishers.get(about) ??
      new Publisher({
        upgrade: { workflowId: proposalThread(about), runId },
        channel,
        boardEditMs: timing.boardEditMs,
        ...(windows?.quietHours === undefined ? {} : { quietHours: windows.quietHours }),
      });
    this.#publishers.set(about, publisher);
    publisher.start();
    publisher.put({ key: 'board', notification });
  }
}
