/** What a gate's message says around the gate's own words. mrkdwn: what is given is escaped already. Times are Slack's date tokens. */

export const toDecide = (title: string): string => `Decision needed: ${title}`;

/** `approvers`: mentions, "" where there are none. */
export const decideBy = (approvers: string, at: string): string =>
  `${approvers === '' ? 'Decide' : `${approvers}: decide`} by ${at}. If nobody does, the gate expires and approves nothing.`;

export const voteRefused = (person: string, why: string): string => `${person}'s vote was refused: ${why}`;

export const gateExpired = (at: string): string => `*Expired* ${at}: nobody decided in time, so nothing was approved.`;

export const gateWithdrawn = (at: string, why: string): string => `*Withdrawn* ${at}: ${why}`;

/** `despiteRules`: by break-glass. `reason`: as it was typed. */
export const decided = (choice: string, by: { person: string; at: string; despiteRules: boolean; reason?: string }): string =>
  `*${choice}* by ${by.person}${by.despiteRules ? ' 🚨 *despite the rules (break-glass)*' : ''}, ${by.at}${by.reason === undefined ? '' : `\n> ${by.reason}`}`;

export const stillToDecide = (title: string): string => `Decision still needed: ${title}`;

/** `approvers`: mentions, "" where there are none. */
export const reminder = (title: string, approvers: string, expiresAt: string): string =>
  `⏰ ${approvers === '' ? '' : `${approvers}: `}*${title}* is still waiting for a decision; it expires ${expiresAt} and then approves nothing. The buttons are on its message above.`;

/** On the board. */
export const gateOnBoard = (title: string, expiresAt: string): string =>
  `⏳ *Waiting for a decision (in the thread):* ${title}${/[.?!…]$/.test(title) ? '' : '.'} Decide by ${expiresAt}.`;

/** On the board: a gate that needs nobody. */
export const parkedOnBoard = (title: string): string => `🅿 *${title}*: continues without a decision; the thread says when.`;

export const detailsLabel = (): string => 'Details';

/** Below the evidence that a message shows. */
export const moreBehindDetails = (count: number): string => `_${count} more in *Details*_`;

/** Behind the line that a closed gate keeps of its evidence; the record has the others. */
export const moreInRecord = (count: number): string => `(${count} more in the record)`;

/** `people`: mentions. */
export const votesSoFar = (people: string): string => `voted: ${people}`;

/** Where a modal has no room for the rest. */
export const moreInThread = (): string => '_The thread has the rest._';

export const withdrawVote = (): string => 'Withdraw my vote';

/** A button, and the title of what it opens. */
export const reviewLabel = (): string => 'Review';

export const readingGate = (): string => '⏳ Reading the gate…';

export const recordingVote = (): string => '⏳ Recording your decision…';

/** `link`: to its thread; "" where there is none. */
export const gateNotOpen = (link: string): string =>
  `This gate is no longer open: it was decided or withdrawn, or has expired. Nothing was changed. ${link === '' ? 'Its thread' : link} shows how it ended.`;
