/** Equal gates of a campaign: shown as a list, and approved for all of its runs. What the button carries is a name; the list is the campaign's own. */
import type { ModalView } from '@slack/types';
import { bundleGone, bundleApproved } from '../../client/calls/messages.ts';
import type { Actor } from '../../domain/gates/actor.ts';
import { slackError } from '../api/errors.ts';
import type { BundleMetadata } from '../blocks/kit/button-values.ts';
import type { SlackDeps } from '../interaction/deps.ts';
import { failureSentence } from '../interaction/failure-text.ts';
import { type Listener, says, tell } from '../interaction/reply.ts';
import { formNotOpened } from '../messages/refusals.ts';
import { approving } from '../messages/bundles.ts';
import { bundleList, bundleReading, bundleWords } from '../views/bundle.ts';

/** A modal is updated no more often: views.update is of Tier 4 (docs.slack.dev/reference/methods/views.update). */
const PROGRESS_MS = 3_000;

/** Opens at once, within the three seconds that Slack allows, and is filled in when the campaign has answered. */
export async function openBundle(deps: SlackDeps, listener: Listener, metadata: BundleMetadata, triggerId: string): Promise<void> {
  let viewId: string;
  try {
    const { view } = await deps.web.views.open({ trigger_id: triggerId, view: bundleReading() });
    viewId = view?.id ?? '';
  } catch (error) {
    deps.log.warn(slackError(error, 'opening the list of equal gates').message);
    return await tell(listener, says(formNotOpened('with the list', 'Press the button again.')));
  }
  await showBundle(deps, viewId, metadata);
}

export async function showBundle(deps: SlackDeps, viewId: string, metadata: BundleMetadata): Promise<void> {
  await update(deps, viewId, await listOf(deps, metadata));
}

async function listOf(deps: SlackDeps, metadata: BundleMetadata): Promise<ModalView> {
  try {
    const { open, earlier } = await deps.campaigns.bundles(metadata.campaign);
    const bundle = [...open, ...earlier].find(({ id }) => id === metadata.bundle);
    return bundle === undefined ? bundleWords(says(bundleGone())) : bundleList(bundle, metadata);
  } catch (error) {
    return bundleWords(says(failureSentence(error, deps.log, 'reading equal gates')));
  }
}

/** Never throws. Says how far it is while the list is open, and at the end what became of every run. */
export async function approveBundle(
  deps: SlackDeps,
  { viewId, metadata, actor }: { viewId: string; metadata: BundleMetadata; actor: Actor },
): Promise<void> {
  const { campaign, bundle, channel, thread } = metadata;
  const show: NonNullable<Listener['show']> = (answer) => update(deps, viewId, bundleWords(answer));
  const listener: Listener = { web: deps.web, log: deps.log, channel, user: actor.id, ...(thread === undefined ? {} : { thread }), show };
  let shownAtMs = Date.now();
  let showing: Promise<unknown> = Promise.resolve();
  const onProgress = (doneCount: number, of: number): void => {
    if (Date.now() - shownAtMs < PROGRESS_MS || doneCount === of) return;
    shownAtMs = Date.now();
    showing = showing.then(() => show(says(approving(doneCount, of))));
  };
  try {
    const outcome = await deps.campaigns.approveBundle({ campaign, bundle, actor, onProgress });
    await showing;
    await tell(listener, says(bundleApproved(outcome)));
  } catch (error) {
    await showing;
    await tell(listener, says(failureSentence(error, deps.log, 'approving equal gates')));
  }
}

/** false: it is closed. */
async function update(deps: SlackDeps, viewId: string, view: ModalView): Promise<boolean> {
  try {
    await deps.web.views.update({ view_id: viewId, view });
    return true;
  } catch (error) {
    const { code, message } = slackError(error, 'showing equal gates');
    if (code !== 'not_found') deps.log.warn(message);
    return false;
  }
}
