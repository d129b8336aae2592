/** What a campaign says of equal gates that it offers together. Values and types only: slack/ and cli/ import this too. */
import { defineQuery } from '@temporalio/workflow';
import type { Bundle, Offer } from '../../domain/run/campaign/bundles.ts';

/** One message, as often as it was edited. */
export interface ShownBundle {
  /** Of the message in the campaign's thread. */
  key: string;
  now: Bundle;
  /** What the message has said, the last one last: a press is for exactly that. */
  said: Bundle[];
  /** Who has dropped out, and why: one line each. */
  dropped: string[];
}

export interface CarriedBundles {
  /** By `account/region/name`. */
  offers: Record<string, Offer>;
  shown: ShownBundle[];
  /** Messages of equal gates that there have been, by what is equal: one that is closed is not opened again. */
  rounds: Record<string, number>;
}

/** `open`: what is offered now. `earlier`: what messages have shown that may still be pressed. */
export interface CampaignBundles {
  open: Bundle[];
  earlier: Bundle[];
}

export const campaignBundles = defineQuery<CampaignBundles>('campaignBundles');
