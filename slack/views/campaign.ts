/** The form of campaigns: which one, what to do, and what that needs. Made of belay.yaml alone, so that it opens at once. */
import type { ModalView } from '@slack/types';
import type { CampaignPolicy } from '../../domain/policy/campaigns.ts';
import { RETRIABLE } from '../../domain/run/campaign/commands.ts';
import type { CampaignFormMetadata } from '../blocks/kit/button-values.ts';
import { LIMITS } from '../blocks/kit/text.ts';
import { campaignFormTitle, campaignReasonHint, clustersHint, onlyHint, ringHint, verbDoes, withoutHint } from '../messages/campaigns.ts';
import { form, input, option, reasonField, select } from './fields.ts';

export const CAMPAIGN_CALLBACK = 'campaign-form';
const BLOCKS = { campaign: 'campaign', verb: 'verb', ring: 'ring', only: 'only', clusters: 'clusters', without: 'without' } as const;
export type CampaignField = keyof typeof BLOCKS;
const INPUT = 'input';
const VERBS = ['plan', 'start', 'status', 'pause', 'resume', 'retry', 'beside', 'rollback', 'stop'] as const;
export type CampaignFormVerb = (typeof VERBS)[number];
const LONGEST = 500;

/** undefined where the metadata would be cut. */
export function campaignView(campaigns: readonly CampaignPolicy[], metadata: CampaignFormMetadata): ModalView | undefined {
  const names = campaigns.slice(0, LIMITS.options).map(({ name, target }) => option(name, `${name} (to ${target})`));
  const text = (maxLength: number) => ({ type: 'plain_text_input' as const, action_id: INPUT, max_length: maxLength });
  const kinds = { type: 'checkboxes' as const, action_id: INPUT, options: RETRIABLE.map((kind) => option(kind, kind)) };
  return form(CAMPAIGN_CALLBACK, metadata, { title: campaignFormTitle(), submit: 'Continue' }, [
    input(BLOCKS.campaign, 'Campaign', select(INPUT, 'Choose a campaign', names, names.length === 1 ? names[0]?.value : undefined)),
    input(
      BLOCKS.verb,
      'What to do',
      select(
        INPUT,
        'Choose',
        VERBS.map((verb) => option(verb, verbDoes(verb))),
        undefined,
      ),
    ),
    input(BLOCKS.ring, 'Ring', text(40), { optional: true, hint: ringHint() }),
    input(BLOCKS.only, 'Only clusters that are', kinds, { optional: true, hint: onlyHint() }),
    input(BLOCKS.clusters, 'Clusters', text(LONGEST), { optional: true, hint: clustersHint() }),
    input(BLOCKS.without, 'Go on without', text(LONGEST), { optional: true, hint: withoutHint() }),
    { ...reasonField({ optional: true }), hint: { type: 'plain_text', text: campaignReasonHint() } },
  ]);
}

/** What a person has filled in. */
export interface FilledCampaign {
  campaign?: string;
  verb?: CampaignFormVerb;
  ring?: string;
  only: string[];
  clusters: string[];
  without: string[];
}

type Values = Record<
  string,
  Record<string, { value?: string | null; selected_option?: { value?: string } | null; selected_options?: { value?: string }[] | null }>
>;

export function filledCampaign(values: Values): FilledCampaign {
  const of = (field: CampaignField): Values[string][string] => values[BLOCKS[field]]?.[INPUT] ?? {};
  const verb = of('verb').selected_option?.value;
  const ring = of('ring').value?.trim() ?? '';
  return {
    campaign: of('campaign').selected_option?.value,
    verb: VERBS.find((known) => known === verb),
    ...(ring === '' ? {} : { ring }),
    only: (of('only').selected_options ?? []).flatMap(({ value }) => value ?? []),
    clusters: namesIn(of('clusters').value),
    without: namesIn(of('without').value),
  };
}

const namesIn = (value: string | null | undefined): string[] => (value ?? '').split(/[\s,]+/u).filter((each) => each !== '');

/** As Slack wants what it shows below a field. */
export const errorBelow = (field: CampaignField, error: string): Record<string, string> => ({ [BLOCKS[field]]: error });
