/** What people ask of a campaign outside of its gates: pause, resume, stop, retry, and to go on beside a run that is stuck. */
import { defined } from '../../../domain/core/defined.ts';
import { condition, setHandler } from '@temporalio/workflow';
import { actorName } from '../../../domain/gates/actor.ts';
import type { DecisionReply } from '../../../domain/gates/gate.ts';
import { memberKey } from '../../../domain/plan/campaign/types.ts';
import { type Changed, goOnBeside, pause, resume, retry, stop } from '../../../domain/run/campaign/commands.ts';
import { type CampaignCommand, campaignCommand, campaignCommandSent, sayingOf } from '../../contract/campaign.ts';
import { type ApprovalContext, readSender } from '../../gates/authorize.ts';
import { commandSaid } from '../../messages/campaigns.ts';
import { required } from '../../runtime/required.ts';
import type { CampaignShared } from './ring-gate.ts';

export class CampaignCommands {
  readonly #shared: CampaignShared;
  #context: ApprovalContext | undefined;
  #early: Promise<unknown> = Promise.resolve();

  constructor(shared: CampaignShared) {
    this.#shared = shared;
  }

  install(): void {
    setHandler(campaignCommand, (input) => this.#inTurn(input));
    setHandler(campaignCommandSent, async (input) => void (await this.#inTurn(input)));
  }

  attach(context: ApprovalContext): void {
    this.#context = context;
  }

  /** Signatures do not expire, and are for all runs of the campaign. */
  get carried(): { used?: string[] } {
    const used = this.#shared.used.taken;
    return used.length === 0 ? {} : { used };
  }

  /** What comes before the settings are read waits for them, and is then decided on one after the other. */
  async #inTurn(input: CampaignCommand): Promise<DecisionReply> {
    if (this.#context !== undefined) return await this.#take(input, this.#context);
    const turn = this.#early.then(async () => {
      await condition(() => this.#context !== undefined);
      return await this.#take(input, required(this.#context, 'a command of a campaign has no context'));
    });
    this.#early = turn.catch(() => undefined);
    return await turn;
  }

  async #take(input: CampaignCommand, context: ApprovalContext): Promise<DecisionReply> {
    const { verb, retry: _of, cluster: _cluster, reason, ...signed } = input;
    const { actor, refused, ask } = await readSender(
      { ...context, used: this.#shared.used },
      'campaign',
      { ...signed, ...(reason === undefined ? {} : { reason }) },
      { what: sayingOf(input), requesterToo: verb !== 'retry' },
    );
    const { use, voice } = this.#shared;
    const changed: Changed = refused === undefined ? this.#apply(input) : { refused };
    const message = 'refused' in changed ? changed.refused : changed.said;
    voice.audit({
      id: `command/${verb}/${input.id ?? new Date().toISOString()}`,
      at: new Date().toISOString(),
      kind: 'refused' in changed ? 'refused' : 'command',
      what: `${verb}: ${message}`,
      actor,
      ...(reason === undefined ? {} : { reason }),
    });
    if ('refused' in changed) return { accepted: false, message, ...defined({ ask }) };
    voice.note(commandSaid(actor, message));
    use(changed.state);
    return { accepted: true, message };
  }

  #apply({ verb, reason, retry: of = {}, cluster = '', actor }: CampaignCommand): Changed {
    const { state, plan } = this.#shared;
    switch (verb) {
      case 'pause':
        return pause(state(), reason ?? `by ${actor.name ?? actor.id}`, new Date().toISOString());
      case 'resume':
        return resume(state());
      case 'stop':
        return stop(state());
      case 'retry':
        return retry(state(), plan(), of, { by: actorName(actor), why: reason ?? '' });
      case 'beside': {
        const keys = plan().rings.flatMap(({ members }) =>
          members.flatMap((member) => (isNamed(member.cluster, cluster) ? [memberKey(member.cluster)] : [])),
        );
        const [key] = keys;
        if (key === undefined) return { refused: `No cluster ${cluster} is in the campaign.` };
        if (keys.length > 1) return { refused: `${cluster} is several clusters: ${keys.join(', ')}. Name one.` };
        return goOnBeside(state(), key);
      }
    }
  }
}

const isNamed = (cluster: Parameters<typeof memberKey>[0], name: string): boolean => cluster.name === name || memberKey(cluster) === name;
