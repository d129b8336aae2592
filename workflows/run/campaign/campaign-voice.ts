/** How a campaign speaks: its board and thread in Slack, its audit record. */
import { workflowInfo } from '@temporalio/workflow';
import type { AuditEvent } from '../../../domain/gates/audit.ts';
import type { Actor } from '../../../domain/gates/actor.ts';
import type { ClusterRef } from '../../../domain/core/cluster-ref.ts';
import type { UpgradePolicy } from '../../../domain/policy/policy.ts';
import { campaignView } from '../../../domain/run/campaign/view.ts';
import { AuditTrail } from '../../audit/audit-trail.ts';
import type { CampaignStatus } from '../../contract/campaign.ts';
import type { Note } from '../../messages/note.ts';
import { Announcer } from '../../reporting/announcer.ts';
import { Publisher } from '../../reporting/publisher.ts';
import { editPaceMs } from './edit-pace.ts';

const LAST_WORDS_MS = 60_000;

export class CampaignVoice {
  #publisher: Publisher | undefined;
  #announcer = new Announcer({ notePrefix: 'campaign', deliver: undefined });
  #trail: AuditTrail | undefined;
  #status: (() => CampaignStatus) | undefined;
  readonly #said = new Set<string>();

  /** Before this nothing but Temporal UI is told. */
  start(policy: UpgradePolicy, status: () => CampaignStatus): void {
    const { workflowId, runId, firstExecutionRunId } = workflowInfo();
    const isFirst = runId === firstExecutionRunId;
    const { channel, timing, windows } = policy;
    this.#status = status;
    if (channel === undefined) return;
    // One thread, and buttons that stay good, over all runs of the campaign.
    this.#publisher = new Publisher({
      upgrade: { workflowId, runId: firstExecutionRunId },
      channel,
      boardEditMs: editPaceMs(timing),
      paced: { lastAtMs: isFirst ? 0 : Date.now() },
      ...(windows?.quietHours === undefined ? {} : { quietHours: windows.quietHours }),
    });
    this.#publisher.start();
    const publisher = this.#publisher;
    this.#announcer = new Announcer({ notePrefix: `campaign/${runId.slice(0, 8)}`, deliver: (pending) => publisher.put(pending) });
  }

  begin({
    cluster,
    campaign,
    requestedBy,
    resumed,
  }: {
    cluster: ClusterRef;
    campaign: string;
    requestedBy: Actor;
    resumed: boolean;
  }): void {
    const { firstExecutionRunId } = workflowInfo();
    const of = { account: 'campaign', region: cluster.region, name: campaign };
    this.#trail = new AuditTrail({ cluster: of, runId: firstExecutionRunId, shared: true }, (note) => this.note(note));
    if (!resumed)
      this.audit({
        id: 'start',
        at: new Date().toISOString(),
        kind: 'start',
        what: `Campaign ${campaign} was asked for`,
        actor: requestedBy,
      });
  }

  get announcer(): Announcer {
    return this.#announcer;
  }

  note(note: Note): void {
    this.#announcer.note(note);
  }

  /** Said once, however often it is so. */
  once(key: string, note: Note): void {
    if (this.#said.has(key)) return;
    this.#said.add(key);
    this.note(note);
  }

  audit(event: AuditEvent): void {
    this.#trail?.note(event);
  }

  board(): void {
    if (this.#status === undefined) return;
    this.#publisher?.put({ key: 'board', notification: { kind: 'campaign', view: campaignView(this.#status()) } });
  }

  /** Delivers what is left, for the next run of the campaign. */
  async finish(): Promise<void> {
    await this.#trail?.finish(LAST_WORDS_MS);
    await this.#publisher?.close(LAST_WORDS_MS);
  }

  async end(what: string): Promise<void> {
    this.audit({ id: 'end', at: new Date().toISOString(), kind: 'end', what: `Ended: ${what}` });
    await this.finish();
  }
}
