/** The list behind the App Home's button: opened within the three seconds that Slack allows, then read, a page at a time. */
import { slackError } from '../../api/errors.ts';
import type { SlackDeps } from '../../interaction/deps.ts';
import { visibleClusters } from '../../interaction/visible-clusters.ts';
import { type Needs, NEEDS_PAGE, needsView } from '../../views/needs.ts';
import type { OpenForm } from '../upgrade-form.ts';
import { gatherWaiting, linked } from './waiting.ts';

/** false: Slack did not open it in time. */
export async function openNeeds(deps: SlackDeps, { triggerId, user }: { triggerId: string; user: string }): Promise<boolean> {
  let open: OpenForm;
  try {
    const { view } = await deps.web.views.open({ trigger_id: triggerId, view: needsView(undefined) });
    open = { id: view?.id ?? '', hash: view?.hash };
  } catch (error) {
    deps.log.warn(slackError(error, 'opening the list of what waits').message);
    return false;
  }
  await showNeeds(deps, open, { user, page: 0 });
  return true;
}

/** What is on a page may have been decided since it was shown: everything is read anew. */
export async function showNeeds(deps: SlackDeps, { id, hash }: OpenForm, of: { user: string; page: number }): Promise<void> {
  const view = needsView(await needsOf(deps, of));
  try {
    await deps.web.views.update({ view_id: id, hash, view });
  } catch (error) {
    const { code, message } = slackError(error, 'showing what waits');
    // Closed meanwhile, or another page is on its way.
    if (code !== 'hash_conflict' && code !== 'not_found') deps.log.warn(message);
  }
}

async function needsOf(deps: SlackDeps, { user, page }: { user: string; page: number }): Promise<Needs> {
  const { names, unread } = await visibleClusters(deps, user);
  const { gates, troubles, problems } = await gatherWaiting(deps, user, Date.now(), names);
  const count = gates.length + troubles.length;
  const last = Math.max(0, Math.ceil(count / NEEDS_PAGE) - 1);
  const at = Math.min(page, last);
  const [from, to] = [at * NEEDS_PAGE, (at + 1) * NEEDS_PAGE];
  const after = (index: number): number => Math.max(0, index - gates.length);
  return {
    gates: await linked(deps, gates.slice(from, to)),
    troubles: await linked(deps, troubles.slice(after(from), after(to))),
    page: at,
    count,
    problems: [...unread, ...problems],
  };
}
