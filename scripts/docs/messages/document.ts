/** docs/messages.md: every message, by the constructor that makes it, with examples. */
import { code, GENERATED, next, page } from '../markdown.ts';
import { campaignBundleChapter, cliBundleChapter, slackBundleChapter } from './campaigns/bundles.ts';
import { campaignChapter, ringRollbackChapter } from './campaigns/campaigns.ts';
import { cliProposalChapter, proposalChapter, slackProposalChapter } from './campaigns/proposals.ts';
import type { Chapter } from './chapter.ts';
import { applyChapter } from './commands/apply.ts';
import { argumentChapter } from './commands/arguments.ts';
import { fleetChapter, outcomeChapter, releaseChapter, setupChapter, viewChapter } from './commands/cli.ts';
import { clientChapter } from './commands/client.ts';
import { mcpChapter } from './commands/mcp.ts';
import { cliQuestionChapter, questionChapter, slackQuestionChapter } from './commands/questions.ts';
import { snapshotChapter } from './commands/snapshots.ts';
import { threadChapter, watchChapter } from './commands/threads.ts';
import { withoutFileChapter } from './commands/without-file.ts';
import { addOnChapter, autoModeBackChapter, controlPlaneChapter, fargateStopChapter, slowUpdateChapter } from './phases/control-plane.ts';
import { bakeChapter, deliveryChapter, istioGitopsChapter } from './phases/deliveries.ts';
import { amiChangeChapter, driftChapter, paceChapter } from './phases/drift.ts';
import { freezeChapter, nodeClassChapter } from './phases/freeze.ts';
import { istioWaveChapter } from './phases/istio-waves.ts';
import { istioChapter, istioLabelChapter } from './phases/istio.ts';
import { migrationChapter, migrationGateChapter } from './phases/karpenter-migration.ts';
import { karpenterChapter } from './phases/karpenter.ts';
import {
  blockedChoiceChapter,
  blockedDeedChapter,
  blockedNodeChapter,
  nodeChapter,
  selfManagedChapter,
  slowGroupChapter,
} from './phases/nodes.ts';
import { rendered } from './render.ts';
import { choiceChapter, failureChapter, gateChapter, restoredChapter, voteChapter } from './run/gates.ts';
import {
  clusterWatchChapter,
  commandChapter,
  healthChapter,
  networkChapter,
  planChapter,
  rollbackWindowChapter,
  runChapter,
  windowChapter,
} from './run/run.ts';
import { campaignFormChapter } from './slack/campaigns.ts';
import { slackCommandChapter } from './slack/commands.ts';
import { directChapter } from './slack/direct.ts';
import { slackForecastChapter } from './slack/forecasts.ts';
import { homeChapter, overviewChapter } from './slack/home.ts';
import * as slack from './slack/slack.ts';

/** As a run goes, then what Slack and the commands say. test/docs/messages.test.ts names a file of messages that is missing here. */
export const CHAPTERS: readonly Chapter[] = [
  planChapter,
  runChapter,
  windowChapter,
  gateChapter,
  restoredChapter,
  choiceChapter,
  voteChapter,
  healthChapter,
  freezeChapter,
  nodeClassChapter,
  controlPlaneChapter,
  autoModeBackChapter,
  fargateStopChapter,
  bakeChapter,
  addOnChapter,
  slowUpdateChapter,
  deliveryChapter,
  istioChapter,
  istioGitopsChapter,
  istioWaveChapter,
  istioLabelChapter,
  migrationChapter,
  migrationGateChapter,
  karpenterChapter,
  nodeChapter,
  driftChapter,
  paceChapter,
  amiChangeChapter,
  blockedNodeChapter,
  blockedChoiceChapter,
  blockedDeedChapter,
  slowGroupChapter,
  selfManagedChapter,
  failureChapter,
  clusterWatchChapter,
  networkChapter,
  commandChapter,
  rollbackWindowChapter,
  campaignChapter,
  ringRollbackChapter,
  proposalChapter,
  campaignBundleChapter,
  slackBundleChapter,
  slack.slackAnswerChapter,
  slackCommandChapter,
  questionChapter,
  slackQuestionChapter,
  slack.slackRefusalChapter,
  slack.slackFormChapter,
  directChapter,
  slack.slackGateChapter,
  slack.slackRunChapter,
  slack.slackClusterChapter,
  slackForecastChapter,
  slackProposalChapter,
  overviewChapter,
  homeChapter,
  campaignFormChapter,
  slack.slackFailureChapter,
  clientChapter,
  argumentChapter,
  applyChapter,
  cliQuestionChapter,
  outcomeChapter,
  viewChapter,
  cliBundleChapter,
  withoutFileChapter,
  threadChapter,
  watchChapter,
  snapshotChapter,
  fleetChapter,
  cliProposalChapter,
  mcpChapter,
  releaseChapter,
  setupChapter,
];

export function messagesDocument(): string {
  return page(
    '# Messages',
    GENERATED,
    'For whoever is on call at 3 a.m., and for whoever edits these texts: every message with an example. ℹ is information, ⚠ a warning, 🚨 an alarm; buttons are in brackets.',
    ...CHAPTERS.flatMap(({ title, path, module, examples }) => [
      `## ${title}`,
      `In [${code(path)}](../${path}).`,
      ...entries(module, examples),
    ]),
    next('Failures', 'reference/failures.md'),
  );
}

/** In the order of the examples, which tell a story. */
function entries(module: object, examples: object): string[] {
  const constructors = new Map<string, unknown>(Object.entries(module));
  return Object.entries(examples).flatMap(([name, calls]: [string, readonly unknown[][]]) => {
    const say = constructors.get(name) as (...args: unknown[]) => unknown;
    return [`**${name}**`, ...calls.map((args) => rendered(say(...args)))];
  });
}
