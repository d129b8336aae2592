/** Registers buttons and forms. */
import type { App } from '@slack/bolt';
import type { SlackDeps } from '../interaction/deps.ts';
import { registerBoardButtons } from './board.ts';
import { registerCampaignForm } from './campaigns/campaign-form.ts';
import { registerBundles } from './campaigns/bundle.ts';
import { registerCheckButtons } from './check.ts';
import { registerDetails } from './details.ts';
import { registerExtend } from './extend.ts';
import { registerGateButtons } from './gate.ts';
import { registerHandOver } from './hand-over.ts';
import { registerNeeds } from './needs.ts';
import { registerPaceButtons } from './pace.ts';
import { registerProposalButtons } from './campaigns/proposal.ts';
import { registerQuestions } from './question.ts';
import { registerReasonForm } from './reason.ts';
import { registerReconcile } from './reconcile.ts';
import { registerUpgradeForm } from './upgrade-form.ts';

export function registerActions(app: App, deps: SlackDeps): void {
  registerGateButtons(app, deps);
  registerReasonForm(app, deps);
  registerDetails(app, deps);
  registerExtend(app, deps);
  registerBoardButtons(app, deps);
  registerBundles(app, deps);
  registerHandOver(app, deps);
  registerCheckButtons(app, deps);
  registerNeeds(app, deps);
  registerPaceButtons(app, deps);
  registerProposalButtons(app, deps);
  registerQuestions(app, deps);
  registerReconcile(app, deps);
  registerUpgradeForm(app, deps);
  registerCampaignForm(app, deps);
}
