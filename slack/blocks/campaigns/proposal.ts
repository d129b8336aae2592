/** A campaign that is proposed: for whom, until when, what waiting costs, and how it would be started. */
import { actions, button, context, header, message, type Rendered, sections } from '../kit/elements.ts';
import { codeLines, mrkdwn, person } from '../kit/text.ts';
import { when } from '../kit/time.ts';
import { usd } from '../../../domain/run/fleet-view/money.ts';
import type { CampaignProposal, PlaceCount } from '../../../domain/run/proposals/proposal.ts';
import type { KnownProposal } from '../../../domain/run/proposals/state.ts';
import {
  accountCosts,
  awsUpgradesThem,
  campaignInFile,
  campaignUnplanned,
  clustersUnread,
  dismissedBy,
  dismissMeans,
  dismissTitle,
  inEnvironment,
  moreLines,
  noCampaignInFile,
  notOfferedIn,
  offersUnknownIn,
  proposalDismissedTitle,
  proposalTitle,
  startsNothing,
  supportEnds,
  waitingCosts,
  waitingCostsNothing,
} from '../../messages/proposals.ts';

const ENVIRONMENTS = 10;
const ACCOUNTS = 5;
const PLACES = 5;
/** Each has a button. */
export const MOST_CAMPAIGNS = 5;
/** With the number of the button behind it: ids are unique in a message. */
export const START_ACTION = 'proposal/start';
export const DISMISS_ACTION = 'proposal/dismiss';
/** Of a section, with room for the words around it. */
const SNIPPET = 2_500;

/** `run`: the first run of the workflow that proposed it. */
export function proposalBlocks({ proposal, dismissed }: KnownProposal, run: string): Rendered {
  const { clusterCount, forcedCount } = proposal;
  const target = mrkdwn(proposal.target, 20);
  const [standard, extended] = [proposal.endOfStandardSupport, proposal.endOfExtendedSupport].map((day) => day && mrkdwn(day, 20));
  const support = supportEnds(mrkdwn(proposal.from, 20), standard, extended);
  if (dismissed !== undefined) {
    const title = proposalDismissedTitle(target);
    const reason = dismissed.reason === undefined ? undefined : mrkdwn(dismissed.reason, 300);
    return message(title, [
      header(title),
      ...sections([support]),
      ...context([dismissedBy(person(dismissed.by), when(dismissed.at), reason)]),
    ]);
  }
  const title = proposalTitle(target, clusterCount);
  const { environments, unread } = proposal;
  return message(`${title}. ${support}`, [
    header(title),
    ...sections([support, ...(forcedCount === 0 ? [] : [awsUpgradesThem(forcedCount, standard)])]),
    ...sections(
      upTo(
        ENVIRONMENTS,
        environments.map(({ name, clusterCount: own }) => inEnvironment(mrkdwn(name, 100), own)),
      ),
    ),
    ...sections(costLines(proposal)),
    ...sections([
      ...placeLines(proposal.lacking, notOfferedIn),
      ...placeLines(proposal.offersUnread, offersUnknownIn),
      ...(unread.count === 0 ? [] : [clustersUnread(unread.count, mrkdwn(unread.why.join('; '), 600))]),
    ]),
    ...sections(campaignLines(proposal)),
    ...context([startsNothing()]),
    ...actions(buttonsOf(proposal, run)),
  ]);
}

function costLines({ withinDays, total, accounts }: CampaignProposal): string[] {
  const dear = accounts.filter(({ usdWithin, unknownCount }) => usdWithin > 0 || unknownCount > 0);
  if (dear.length === 0) return [waitingCostsNothing(withinDays)];
  const each = dear.map(({ account, usdWithin, unknownCount }) => `• ${accountCosts(mrkdwn(account, 20), usd(usdWithin), unknownCount)}`);
  return [waitingCosts(withinDays, usd(total.usdWithin)), ...upTo(ACCOUNTS, each)];
}

const placeLines = (places: readonly PlaceCount[], line: (place: string, clusterCount: number) => string): string[] =>
  upTo(
    PLACES,
    places.map(({ account, region, clusterCount }) => `⚠ ${line(`${mrkdwn(region, 40)} (${mrkdwn(account, 20)})`, clusterCount)}`),
  );

function campaignLines({ target, campaigns, snippet }: CampaignProposal): string[] {
  if (campaigns.length > 0)
    return upTo(
      MOST_CAMPAIGNS,
      campaigns.map(({ name, plan, why }) =>
        plan === undefined
          ? `⚠ ${campaignUnplanned(mrkdwn(name, 60), mrkdwn(why ?? 'no reason was given', 300))}`
          : [
              campaignInFile(mrkdwn(name, 60), { ...plan, hash: mrkdwn(plan.hash, 20) }),
              ...plan.problems.map((problem) => `❌ ${mrkdwn(problem, 300)}`),
            ].join('\n'),
      ),
    );
  return [[noCampaignInFile(mrkdwn(target, 20)), ...(snippet === undefined ? [] : [snippetText(snippet)])].join('\n')];
}

/** Fenced, so that it can be copied as it is. */
const snippetText = (snippet: string): string => `\`\`\`\n${codeLines(snippet, SNIPPET).replaceAll('```', "'''")}\n\`\`\``;

function buttonsOf({ target, campaigns }: CampaignProposal, run: string): Parameters<typeof actions>[0] {
  const planned = campaigns.length === 0 ? [{ label: 'How to start', more: {} }] : campaigns.slice(0, MOST_CAMPAIGNS).map(planButton);
  return [
    ...planned.map(({ label, more }, index) => button({ actionId: `${START_ACTION}/${index}`, label, value: { target, run, ...more } })),
    button({
      actionId: DISMISS_ACTION,
      label: 'Dismiss',
      value: { target, run },
      confirm: { title: dismissTitle(target), text: dismissMeans(target) },
    }),
  ].flatMap((made) => made ?? []);
}

const planButton = ({ name }: CampaignProposal['campaigns'][number]): { label: string; more: { campaign?: string } } => ({
  label: `Plan ${name}`,
  more: { campaign: name },
});

const upTo = (most: number, lines: readonly string[]): string[] =>
  lines.length <= most ? [...lines] : [...lines.slice(0, most), moreLines(lines.length - most)];
