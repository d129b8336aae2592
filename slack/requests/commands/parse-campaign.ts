/** `/eks-upgrade campaign [VERB NAME …]`. */
import { RETRIABLE, type Retriable, type Retry } from '../../../domain/run/campaign/commands.ts';
import {
  besideWhat,
  campaignNeedsName,
  notACampaignVerb,
  notRetriable,
  rollbackOfWhat,
  unexpectedArgument,
  unknownOption,
  withoutNeedsReason,
  withoutValue,
} from '../../messages/commands.ts';

export const CAMPAIGN_VERBS = ['plan', 'start', 'status', 'pause', 'resume', 'retry', 'beside', 'rollback', 'stop'] as const;
export type CampaignVerbText = (typeof CAMPAIGN_VERBS)[number];

/** `list`: the campaigns that are open; it names none. */
export interface CampaignCommandText {
  kind: 'campaign';
  verb: CampaignVerbText | 'list';
  campaign: string;
  /** With `retry`. */
  retry?: Retry;
  /** With `beside`: the cluster by its name, or as account/region/name. Commands with a `cluster` belong in that cluster's channel; this one does not. */
  beside?: string;
  /** With `rollback`. */
  ring?: string;
  /** With `pause` and `resume`: its runs as well. */
  runs?: true;
  reason?: string;
}

/** The problem in one sentence, where it cannot be understood. */
export function parseCampaign(words: readonly string[]): CampaignCommandText | string {
  const [first, campaign, ...rest] = words;
  if (first === undefined) return { kind: 'campaign', verb: 'list', campaign: '' };
  const verb = CAMPAIGN_VERBS.find((known) => known === first.toLowerCase());
  if (verb === undefined) return notACampaignVerb(first, CAMPAIGN_VERBS);
  if (campaign === undefined) return campaignNeedsName(verb);
  if (verb === 'retry') {
    const parsed = parseRetry(rest);
    return typeof parsed === 'string' ? parsed : { kind: 'campaign', verb, campaign, ...parsed };
  }
  if ((verb === 'pause' || verb === 'resume') && rest.length === 1 && RUNS.test(rest[0] ?? ''))
    return { kind: 'campaign', verb, campaign, runs: true };
  const takesOne = verb === 'beside' || verb === 'rollback';
  const [one, ...more] = takesOne ? rest : [undefined, ...rest];
  if (takesOne && one === undefined) return verb === 'beside' ? besideWhat(campaign) : rollbackOfWhat(campaign);
  if (more[0] !== undefined) return unexpectedArgument(more[0]);
  if (one === undefined) return { kind: 'campaign', verb, campaign };
  return { kind: 'campaign', verb, campaign, ...(verb === 'beside' ? { beside: one } : { ring: one }) };
}

/** Slack's clients turn two hyphens into a dash; people leave them out. */
const OPTION = /^(?:--|[—–])?([a-z]+)=(.*)$/iu;
const DASHED = /^[-—–]/u;
const RUNS = /^(?:--|[—–])?runs$/iu;

/** `[RING] [only=failed,held] [lift=CLUSTER,…] [without=CLUSTER,…] [reason=WHY …]` */
function parseRetry(words: readonly string[]): Pick<CampaignCommandText, 'retry' | 'reason'> | string {
  const retry: Retry = {};
  for (const [at, word] of words.entries()) {
    const [, option = '', value = ''] = OPTION.exec(word) ?? [];
    const values = value.split(',').filter((each) => each !== '');
    switch (option.toLowerCase()) {
      case 'only': {
        if (values.length === 0) return withoutValue('only', RETRIABLE.join(','));
        const wrong = values.find((each) => !isRetriable(each));
        if (wrong !== undefined) return notRetriable(wrong, RETRIABLE);
        retry.only = values.filter(isRetriable);
        break;
      }
      case 'lift':
        if (values.length === 0) return withoutValue('lift', 'CLUSTER');
        retry.lift = values;
        break;
      case 'without':
        if (values.length === 0) return withoutValue('without', 'CLUSTER');
        retry.without = values;
        break;
      case 'reason': {
        // To the end of the line.
        const reason = [value, ...words.slice(at + 1)].join(' ').trim();
        return reason === '' ? withoutValue('reason', 'WHY') : { retry, reason };
      }
      case '':
        if (DASHED.test(word)) return unknownOption(word);
        if (retry.ring !== undefined) return unexpectedArgument(word);
        retry.ring = word;
        break;
      default:
        return unknownOption(word);
    }
  }
  return retry.without === undefined ? { retry } : withoutNeedsReason(retry.without);
}

const isRetriable = (word: string): word is Retriable => (RETRIABLE as readonly string[]).includes(word);
