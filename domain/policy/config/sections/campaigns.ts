/** `campaigns:` in belay.yaml: which clusters go to which minor, in which rings. */
import { z } from 'zod';
import {
  type CampaignPolicy,
  type ClusterSelection,
  NOTIFY,
  PROMOTIONS,
  type RingPolicy,
  type Share,
  SOAK_ON_RED,
} from '../../campaigns.ts';
import type { ApprovalPolicy } from '../../../gates/approvals.ts';
import { defined } from '../../../core/defined.ts';
import { account, duration, flag, minor, text } from '../base/fields.ts';
import { nearest } from '../base/nearest.ts';
import { approvalsSchema, mergeApprovals, undecidable, unverifiable } from './approvals.ts';
import { isDay } from './waivers.ts';

const HOUR_MS = 3_600_000;
const DEFAULT_SOAK_MS = 24 * HOUR_MS;
const DEFAULT_STUCK_MS = 12 * HOUR_MS;
const DEFAULT_STARTS = 5;
const NAME = /^[a-z][a-z0-9-]{0,39}$/;
const RIGHT_SHARE = 'write a whole number, or a percentage in quotes such as "20%"';
const RIGHT_SHARE_FROM_1 = 'write a whole number from 1, or a percentage in quotes such as "20%"';
const RIGHT_COUNT = 'write a whole number from 1';
const RIGHT_ACCOUNTS = 'write a list of account ids in quotes';
const RIGHT_NAME = 'name it in lower-case letters, digits and hyphens, such as to-1-34';
const RIGHT_DAY = 'write a day such as 2026-12-31';

const names = (what: string) =>
  z.array(text(`write ${what}`), { error: `write a list of ${what}` }).min(1, { error: `write a list of ${what}` });

const selection = z
  .strictObject({
    environments: names('environments of this file').describe('Environments').optional(),
    accounts: z.array(account, { error: RIGHT_ACCOUNTS }).min(1, { error: RIGHT_ACCOUNTS }).describe('AWS account ids').optional(),
    regions: names('AWS regions').describe('AWS regions').optional(),
    tags: z
      .record(text('write the key of a tag'), text('write the value of the tag', /^/), { error: 'write tags as key: value' })
      .describe('Tags of the EKS cluster, all of which it has to have')
      .optional(),
    clusters: names('clusters of this file').describe('Clusters by their keys in this file').optional(),
  })
  .describe('Which clusters; every key that is given has to hold. Nothing given: all');

const share = z.union([z.number().int({ error: RIGHT_SHARE }).min(0, { error: RIGHT_SHARE }), text(RIGHT_SHARE, /^(\d{1,2}|100)%$/)], {
  error: RIGHT_SHARE,
});
/** None at a time would never end, and none that has to arrive would call a ring of failures complete. */
const shareFromOne = z.union(
  [z.number().int({ error: RIGHT_SHARE_FROM_1 }).min(1, { error: RIGHT_SHARE_FROM_1 }), text(RIGHT_SHARE_FROM_1, /^([1-9]\d?|100)%$/)],
  { error: RIGHT_SHARE_FROM_1 },
);
const atLeastOne = z.number({ error: RIGHT_COUNT }).int({ error: RIGHT_COUNT }).min(1, { error: RIGHT_COUNT });
const day = text(RIGHT_DAY, /^\d{4}-\d{2}-\d{2}$/).refine(isDay, { error: RIGHT_DAY });

const ring = z.strictObject({
  name: text('write a name such as canary', NAME).describe('Shown at gates and in commands'),
  select: selection.optional(),
  optional: flag().describe('The ring may be without clusters').optional(),
  canary: flag().describe('One cluster that fails or is rolled back stops the campaign, whatever the budget').optional(),
  order: names('clusters of this ring').describe('Clusters that start first, in this order; the others follow by name').optional(),
  parallel: shareFromOne.describe('Runs at the same time: a number, or a percentage rounded down, at least 1').optional(),
  failures: share.describe('So many may fail: a number, or a percentage rounded down; one more stops the campaign').optional(),
  succeed: shareFromOne.describe('So many have to arrive; by default all but those that may fail, and never none').optional(),
  soak: duration('Time under watch after the last cluster of the ring has arrived').optional(),
  soakOnRed: z
    .enum(SOAK_ON_RED, { error: `write ${SOAK_ON_RED.join(' or ')}` })
    .describe('Red health during the soak. restart: it begins anew; hold: it waits until health is green')
    .optional(),
  promotion: z
    .enum(PROMOTIONS, { error: `write ${PROMOTIONS.join(' or ')}` })
    .describe('How this ring begins. ask: people approve; after-soak: when the ring before has soaked. The first ring always asks')
    .optional(),
  coversStart: flag().describe("The ring's approval stands for the first gate of its runs, and for no other").optional(),
});

const campaign = z.strictObject({
  target: minor.describe('Version that the clusters are upgraded to'),
  select: selection.optional(),
  exclude: z
    .array(
      z.strictObject({
        clusters: names('clusters of this file').describe('Clusters by their keys in this file'),
        reason: text('write why, such as audit until January').describe('Shown in plan and board'),
        until: day.describe('Last day, in UTC; absent: for the whole campaign').optional(),
      }),
      { error: 'write a list of exclusions, each with clusters and reason' },
    )
    .describe('Clusters that are left out')
    .optional(),
  rings: z
    .array(ring, { error: 'write a list of rings, each with a name and what it selects' })
    .min(1, { error: 'write at least one ring' })
    .describe('In their order: a ring begins when the one before has arrived and soaked'),
  rest: z
    .enum(['refuse', 'exclude'], { error: 'write refuse or exclude' })
    .describe('Selected clusters that are in no ring. refuse: the plan is refused; exclude: they are listed as left out')
    .optional(),
  hops: z
    .enum(['refuse', 'allowed'], { error: 'write refuse or allowed' })
    .describe('Clusters more than one minor below the target. refuse: listed as refused; allowed: they hop')
    .optional(),
  parallel: atLeastOne.describe('Runs at the same time, over all rings').optional(),
  perAccount: atLeastOne.describe('Runs at the same time in one account').optional(),
  perRegion: atLeastOne.describe('Runs at the same time in one region of one account').optional(),
  startsPerMinute: atLeastOne.describe('Starts within a minute in one region of one account').optional(),
  stuckAfter: duration('A run without progress for this long is stuck, and counts as failed').optional(),
  finishBy: day.describe('Day by which it shall have ended; passing it is an alarm').optional(),
  approvals: approvalsSchema.describe("Who decides at the campaign's own gates, over the approvals of the file").optional(),
  channel: text('write a channel id such as C012AB3CD or its name').describe('Slack channel, instead of slack.channel').optional(),
  notify: z
    .enum(NOTIFY, { error: `write ${NOTIFY.join(' or ')}` })
    .describe('What runs of its clusters say outside of their threads. exceptions: what needs people or went wrong; all: as other runs')
    .optional(),
});

export const campaignsSchema = z
  .record(text(RIGHT_NAME, NAME), campaign, {
    error: ({ code }) => (code === 'invalid_key' ? RIGHT_NAME : 'write campaigns by name'),
  })
  .describe('Upgrades of many clusters, ring by ring (belay campaign)');

export type CampaignsInput = z.output<typeof campaignsSchema>;

interface Known {
  clusters: readonly string[];
  environments: readonly string[];
}

/** What is wrong with the names in `campaigns`: `path` of the key and a message. */
export function campaignProblems(
  campaigns: CampaignsInput | undefined,
  known: Known,
  approvals: ApprovalPolicy,
): { path: (string | number)[]; message: string }[] {
  return Object.entries(campaigns ?? {}).flatMap(([name, given]) => {
    const at = ['campaigns', name];
    const twice = given.rings.map((each) => each.name).filter((each, index, all) => all.indexOf(each) !== index);
    const decides = mergeApprovals(approvals, given.approvals);
    const unlikely = undecidable(decides);
    const unverified = unverifiable(decides);
    return [
      ...twice.map((each) => ({ path: [...at, 'rings'], message: `two rings are called "${each}"; give each a name of its own` })),
      ...selectionProblems([...at, 'select'], given.select, known),
      ...given.rings.flatMap((each, index) => [
        ...selectionProblems([...at, 'rings', index, 'select'], each.select, known),
        ...unknownNames([...at, 'rings', index, 'order'], 'cluster', each.order ?? [], known.clusters),
      ]),
      ...(given.exclude ?? []).flatMap((each, index) =>
        unknownNames([...at, 'exclude', index, 'clusters'], 'cluster', each.clusters, known.clusters),
      ),
      ...(unlikely === undefined ? [] : [{ path: [...at, ...unlikely.path.split('.')], message: unlikely.message }]),
      ...(unverified === undefined ? [] : [{ path: [...at, 'approvals', 'allowUnverifiedCli'], message: unverified }]),
    ];
  });
}

function selectionProblems(path: (string | number)[], given: ClusterSelection | undefined, known: Known) {
  return [
    ...unknownNames([...path, 'clusters'], 'cluster', given?.clusters ?? [], known.clusters),
    ...unknownNames([...path, 'environments'], 'environment', given?.environments ?? [], known.environments),
  ];
}

function unknownNames(path: (string | number)[], what: string, named: readonly string[], known: readonly string[]) {
  return named
    .filter((name) => !known.includes(name))
    .map((name) => {
      const close = nearest(name, known);
      return {
        path,
        message: `names ${what} "${name}", which is not in this file${close === undefined ? '' : `; did you mean "${close}"?`}`,
      };
    });
}

/** What of the file holds for its campaigns. */
interface OfFile extends Pick<CampaignPolicy, 'timing' | 'windows'> {
  approvals: ApprovalPolicy;
  channel?: string;
}

/** By name, with their defaults. */
export function campaignsFrom(campaigns: CampaignsInput | undefined, of: OfFile): ReadonlyMap<string, CampaignPolicy> {
  return new Map(Object.entries(campaigns ?? {}).map(([name, given]) => [name, campaignFrom(name, given, of)]));
}

function campaignFrom(name: string, given: CampaignsInput[string], of: OfFile): CampaignPolicy {
  const { target, select = {}, exclude = [], rings, rest, hops, parallel, perAccount, perRegion, stuckAfter, finishBy, notify } = given;
  const startsPerMinute = given.startsPerMinute ?? DEFAULT_STARTS;
  const channel = given.channel ?? of.channel;
  return {
    name,
    target,
    select: defined(select),
    exclude: exclude.map(({ clusters, reason, until }) => ({ clusters, reason, ...(until === undefined ? {} : { until }) })),
    rings: rings.map(ringFrom),
    rest: rest ?? 'refuse',
    hops: hops ?? 'refuse',
    ...defined({ parallel, perAccount, perRegion, finishBy, channel, notify, timing: of.timing, windows: of.windows }),
    startsPerMinute,
    stuckAfterMs: stuckAfter ?? DEFAULT_STUCK_MS,
    approvals: mergeApprovals(of.approvals, given.approvals),
  };
}

function ringFrom(given: CampaignsInput[string]['rings'][number]): RingPolicy {
  const { name, select = {}, optional = false, canary = false, order, succeed, soak, soakOnRed, promotion, coversStart = false } = given;
  return {
    name,
    select: defined(select),
    optional,
    canary,
    ...defined({ order }),
    parallel: shareOf(given.parallel ?? 1),
    failures: shareOf(given.failures ?? 0),
    ...(succeed === undefined ? {} : { succeed: shareOf(succeed) }),
    soakMs: soak ?? DEFAULT_SOAK_MS,
    soakOnRed: soakOnRed ?? 'restart',
    promotion: promotion ?? 'ask',
    coversStart,
  };
}

const shareOf = (written: number | string): Share =>
  typeof written === 'number' ? { kind: 'count', value: written } : { kind: 'percent', value: Number.parseInt(written, 10) };
