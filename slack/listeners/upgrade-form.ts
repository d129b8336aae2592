/** The form of `/eks-upgrade`: opened within the three seconds that Slack allows, filled in afterwards, and what is done when it is sent. */
import type { App, BlockAction, StaticSelectAction } from '@slack/bolt';
import { defined } from '../../domain/core/defined.ts';
import { marked, says, tell } from '../interaction/reply.ts';
import { parseFormMetadata } from '../blocks/kit/button-values.ts';
import { runPlanning } from '../requests/plan-or-start.ts';
import type { SlackDeps } from '../interaction/deps.ts';
import { failureSentence } from '../interaction/failure-text.ts';
import { takenOnce } from '../interaction/take-once.ts';
import { whyRefused } from '../interaction/membership-guard.ts';
import { filledOf, FORM_ACTIONS, missingOf, resultView, UPGRADE_CALLBACK } from '../views/upgrade.ts';
import { actorOf } from '../interaction/actor.ts';
import { clustersFor, listenerIn, onCluster, onTarget, whyNot } from '../requests/upgrade-form.ts';
import { readingCluster } from '../messages/answers.ts';

export function registerUpgradeForm(app: App, deps: SlackDeps): void {
  const chosen = async (body: BlockAction, action: StaticSelectAction, go: typeof onCluster): Promise<void> => {
    const metadata = parseFormMetadata(body.view?.private_metadata);
    const value = action.selected_option?.value;
    if (body.view === undefined || metadata === undefined || value === undefined) return;
    const clusters = await clustersFor(deps, metadata.place, body.user.id);
    if (typeof clusters === 'string' || (await whyRefused(deps, body.user.id)) !== undefined) return;
    await go(deps, { id: body.view.id, hash: body.view.hash }, { ...metadata, clusters }, value, actorOf(body));
  };
  app.action<BlockAction<StaticSelectAction>>(FORM_ACTIONS.cluster, async ({ ack, body, action }) => {
    await ack();
    await chosen(body, action, onCluster);
  });
  app.action<BlockAction<StaticSelectAction>>(FORM_ACTIONS.target, async ({ ack, body, action }) => {
    await ack();
    await chosen(body, action, onTarget);
  });
  app.view({ type: 'view_submission', callback_id: UPGRADE_CALLBACK }, async ({ ack, body, view }) => {
    const filled = filledOf(view.state.values);
    const errors = missingOf(filled);
    if (errors !== undefined) return await ack({ response_action: 'errors', errors });
    const { cluster = '', target, strategy, dryRun } = filled;
    await ack({ response_action: 'update', view: resultView(says(readingCluster(cluster))) });
    const place = parseFormMetadata(view.private_metadata)?.place;
    const listener = await listenerIn(deps, view.id, { cluster, ...defined({ place }) }, body.user.id);
    try {
      const refusal = await whyNot(deps, cluster, parseFormMetadata(view.private_metadata), body.user.id);
      if (refusal !== undefined) return await tell(listener, marked(refusal));
      if (!dryRun && !(await takenOnce(deps, view.id, actorOf(body)))) return;
      await runPlanning(deps, { kind: dryRun ? 'plan' : 'start', cluster, target, strategy }, actorOf(body), listener);
    } catch (error) {
      await tell(listener, says(failureSentence(error, deps.log, 'the form of /eks-upgrade')));
    }
  });
}
