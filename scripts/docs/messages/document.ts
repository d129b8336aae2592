/** docs/messages.md: every message, by the constructor that makes it, with examples. */
import * as choices from '../../../workflows/messages/choices.ts';
import * as clusterWatch from '../../../workflows/messages/cluster-watch.ts';
import * as networks from '../../../workflows/messages/networks.ts';
import * as commands from '../../../workflows/messages/commands.ts';
import * as failures from '../../../workflows/messages/failures.ts';
import * as gates from '../../../workflows/messages/gates.ts';
import * as health from '../../../workflows/messages/health.ts';
import * as plan from '../../../workflows/messages/plan.ts';
import * as rollbackWindow from '../../../workflows/messages/rollback-window.ts';
import * as proposals from '../../../workflows/messages/proposals.ts';
import * as restored from '../../../workflows/messages/restored.ts';
import * as run from '../../../workflows/messages/run.ts';
import * as votes from '../../../workflows/messages/votes.ts';
import * as windows from '../../../workflows/messages/windows.ts';
import * as campaignBundles from '../../../workflows/messages/bundles.ts';
import * as slackBundles from '../../../slack/messages/bundles.ts';
import * as cliBundles from '../../../cli/messages/bundles.ts';
import { campaignBundleExamples, cliBundleExamples, slackBundleExamples } from './bundles.ts';
import * as slackAnswers from '../../../slack/messages/answers.ts';
import * as slackCluster from '../../../slack/messages/cluster.ts';
import * as slackCommands from '../../../slack/messages/commands.ts';
import * as slackFailures from '../../../slack/messages/failures.ts';
import * as slackForecasts from '../../../slack/messages/forecasts.ts';
import * as slackForms from '../../../slack/messages/forms.ts';
import * as slackDirect from '../../../slack/messages/direct.ts';
import * as slackGates from '../../../slack/messages/gates.ts';
import * as slackHome from '../../../slack/messages/home.ts';
import * as slackOverview from '../../../slack/messages/overview.ts';
import * as slackProposals from '../../../slack/messages/proposals.ts';
import * as slackCampaigns from '../../../slack/messages/campaigns.ts';
import * as slackQuestions from '../../../slack/messages/questions.ts';
import * as slackRefusals from '../../../slack/messages/refusals.ts';
import * as slackRun from '../../../slack/messages/run.ts';
import * as cliApply from '../../../cli/messages/apply.ts';
import * as cliArguments from '../../../cli/messages/arguments.ts';
import * as cliFleet from '../../../cli/messages/fleet.ts';
import * as cliMcp from '../../../cli/messages/mcp.ts';
import * as cliOutcomes from '../../../cli/messages/outcomes.ts';
import * as cliProposals from '../../../cli/messages/proposals.ts';
import * as cliReleases from '../../../cli/messages/releases.ts';
import * as cliSnapshots from '../../../cli/messages/snapshots.ts';
import * as cliWithoutFile from '../../../cli/messages/without-file.ts';
import * as cliThreads from '../../../cli/messages/threads.ts';
import * as cliWatch from '../../../cli/messages/watch.ts';
import * as cliSetup from '../../../cli/messages/setup.ts';
import * as cliViews from '../../../cli/messages/views.ts';
import * as client from '../../../client/calls/messages.ts';
import * as questions from '../../../client/calls/questions.ts';
import * as cliQuestions from '../../../cli/messages/questions.ts';
import * as freeze from '../../../workflows/messages/karpenter/freeze.ts';
import * as karpenterMigration from '../../../workflows/messages/karpenter/migration.ts';
import * as karpenterMigrationGates from '../../../workflows/messages/karpenter/migration-gates.ts';
import * as karpenter from '../../../workflows/messages/karpenter/controller.ts';
import * as nodeClasses from '../../../workflows/messages/karpenter/node-classes.ts';
import * as controlPlane from '../../../workflows/messages/eks/control-plane.ts';
import * as autoModeBack from '../../../workflows/messages/eks/auto-mode-back.ts';
import * as fargateStop from '../../../workflows/messages/eks/fargate-stop.ts';
import * as addOns from '../../../workflows/messages/eks/add-ons.ts';
import * as istioWaves from '../../../workflows/messages/istio/waves.ts';
import * as bakes from '../../../workflows/messages/bakes.ts';
import * as deliveries from '../../../workflows/messages/deliveries.ts';
import * as istio from '../../../workflows/messages/istio/revisions.ts';
import * as istioGitops from '../../../workflows/messages/istio/gitops.ts';
import * as istioLabels from '../../../workflows/messages/istio/labels.ts';
import { code, GENERATED, next, page } from '../markdown.ts';
import { freezeExamples, nodeClassExamples } from './freeze.ts';
import { migrationExamples, migrationGateExamples } from './karpenter-migration.ts';
import { karpenterExamples } from './karpenter.ts';
import * as blockedDeeds from '../../../workflows/messages/nodes/blocked-actions.ts';
import * as blockedNodes from '../../../workflows/messages/nodes/blocked-nodes.ts';
import * as nodes from '../../../workflows/messages/nodes/nodes.ts';
import * as selfManaged from '../../../workflows/messages/nodes/self-managed.ts';
import * as amiChanges from '../../../workflows/messages/karpenter/ami-changes.ts';
import * as drift from '../../../workflows/messages/karpenter/drift.ts';
import * as pace from '../../../workflows/messages/karpenter/pace.ts';
import { amiChangeExamples, driftExamples, paceExamples } from './drift.ts';
import { blockedDeedExamples, blockedNodeExamples, nodeExamples, selfManagedExamples } from './nodes.ts';
import { directExamples } from './slack-direct.ts';
import { choiceExamples, failureExamples, gateExamples, restoredExamples, voteExamples } from './gates.ts';
import * as slackExamples from './slack.ts';
import { slackCommandExamples } from './slack-commands.ts';
import { cliQuestionExamples, questionExamples, slackQuestionExamples } from './slack-questions.ts';
import * as slackCampaignExamples from './slack-campaigns.ts';
import { slackForecastExamples } from './slack-forecasts.ts';
import * as slackHomeExamples from './slack-home.ts';
import { applyExamples } from './apply.ts';
import * as cliExamples from './cli.ts';
import { mcpExamples } from './mcp.ts';
import { clientExamples } from './client.ts';
import { snapshotExamples } from './snapshots.ts';
import { withoutFileExamples } from './without-file.ts';
import { threadExamples, watchExamples } from './threads.ts';
import { cliProposalExamples, proposalExamples, slackProposalExamples } from './proposals.ts';
import { controlPlaneExamples, autoModeBackExamples, fargateStopExamples, addOnExamples } from './control-plane.ts';
import { istioWaveExamples } from './istio-waves.ts';
import { bakeExamples, deliveryExamples, istioGitopsExamples } from './deliveries.ts';
import { istioExamples, istioLabelExamples } from './istio.ts';
import { rendered } from './render.ts';
import {
  clusterWatchExamples,
  commandExamples,
  healthExamples,
  networkExamples,
  planExamples,
  rollbackWindowExamples,
  runExamples,
  windowExamples,
} from './run.ts';

interface Chapter {
  title: string;
  /** Where the constructors are, from the root. */
  path: string;
  module: object;
  examples: object;
}

const chapters: readonly Chapter[] = [
  { title: 'Plan at the first gate', path: 'workflows/messages/plan.ts', module: plan, examples: planExamples },
  { title: 'Run', path: 'workflows/messages/run.ts', module: run, examples: runExamples },
  { title: 'Windows and environments', path: 'workflows/messages/windows.ts', module: windows, examples: windowExamples },
  { title: 'Gates', path: 'workflows/messages/gates.ts', module: gates, examples: gateExamples },
  { title: 'After a restore of Temporal', path: 'workflows/messages/restored.ts', module: restored, examples: restoredExamples },
  { title: 'Recurring choices', path: 'workflows/messages/choices.ts', module: choices, examples: choiceExamples },
  { title: 'Decisions', path: 'workflows/messages/votes.ts', module: votes, examples: voteExamples },
  { title: 'Health', path: 'workflows/messages/health.ts', module: health, examples: healthExamples },
  { title: 'Freeze', path: 'workflows/messages/karpenter/freeze.ts', module: freeze, examples: freezeExamples },
  { title: 'Node classes', path: 'workflows/messages/karpenter/node-classes.ts', module: nodeClasses, examples: nodeClassExamples },
  { title: 'Control plane', path: 'workflows/messages/eks/control-plane.ts', module: controlPlane, examples: controlPlaneExamples },
  {
    title: 'Auto Mode on a way back',
    path: 'workflows/messages/eks/auto-mode-back.ts',
    module: autoModeBack,
    examples: autoModeBackExamples,
  },
  { title: 'Fargate on a way back', path: 'workflows/messages/eks/fargate-stop.ts', module: fargateStop, examples: fargateStopExamples },
  { title: 'Bakes', path: 'workflows/messages/bakes.ts', module: bakes, examples: bakeExamples },
  { title: 'Add-ons', path: 'workflows/messages/eks/add-ons.ts', module: addOns, examples: addOnExamples },
  { title: 'Charts by GitOps', path: 'workflows/messages/deliveries.ts', module: deliveries, examples: deliveryExamples },
  { title: 'Istio', path: 'workflows/messages/istio/revisions.ts', module: istio, examples: istioExamples },
  { title: 'Istio by GitOps', path: 'workflows/messages/istio/gitops.ts', module: istioGitops, examples: istioGitopsExamples },
  { title: 'Istio waves', path: 'workflows/messages/istio/waves.ts', module: istioWaves, examples: istioWaveExamples },
  { title: 'Istio labels and tags', path: 'workflows/messages/istio/labels.ts', module: istioLabels, examples: istioLabelExamples },
  {
    title: 'Karpenter’s migration',
    path: 'workflows/messages/karpenter/migration.ts',
    module: karpenterMigration,
    examples: migrationExamples,
  },
  {
    title: 'Gates of Karpenter’s migration',
    path: 'workflows/messages/karpenter/migration-gates.ts',
    module: karpenterMigrationGates,
    examples: migrationGateExamples,
  },
  { title: 'Karpenter’s controller', path: 'workflows/messages/karpenter/controller.ts', module: karpenter, examples: karpenterExamples },
  { title: 'Nodes', path: 'workflows/messages/nodes/nodes.ts', module: nodes, examples: nodeExamples },
  { title: 'Roll of Karpenter’s nodes', path: 'workflows/messages/karpenter/drift.ts', module: drift, examples: driftExamples },
  { title: 'Pace of a roll', path: 'workflows/messages/karpenter/pace.ts', module: pace, examples: paceExamples },
  { title: 'AMIs of a roll', path: 'workflows/messages/karpenter/ami-changes.ts', module: amiChanges, examples: amiChangeExamples },
  { title: 'Blocked nodes', path: 'workflows/messages/nodes/blocked-nodes.ts', module: blockedNodes, examples: blockedNodeExamples },
  {
    title: 'What was done for blocked nodes',
    path: 'workflows/messages/nodes/blocked-actions.ts',
    module: blockedDeeds,
    examples: blockedDeedExamples,
  },
  { title: 'Self-managed nodes', path: 'workflows/messages/nodes/self-managed.ts', module: selfManaged, examples: selfManagedExamples },
  { title: 'Failures', path: 'workflows/messages/failures.ts', module: failures, examples: failureExamples },
  { title: 'Cluster watch', path: 'workflows/messages/cluster-watch.ts', module: clusterWatch, examples: clusterWatchExamples },
  { title: 'Networks', path: 'workflows/messages/networks.ts', module: networks, examples: networkExamples },
  { title: 'Commands', path: 'workflows/messages/commands.ts', module: commands, examples: commandExamples },
  { title: 'Rollback window', path: 'workflows/messages/rollback-window.ts', module: rollbackWindow, examples: rollbackWindowExamples },
  { title: 'Proposed campaigns', path: 'workflows/messages/proposals.ts', module: proposals, examples: proposalExamples },
  { title: 'Equal gates', path: 'workflows/messages/bundles.ts', module: campaignBundles, examples: campaignBundleExamples },
  { title: 'Slack: equal gates', path: 'slack/messages/bundles.ts', module: slackBundles, examples: slackBundleExamples },
  { title: 'Slack: answers', path: 'slack/messages/answers.ts', module: slackAnswers, examples: slackExamples.answerExamples },
  { title: 'Slack: commands', path: 'slack/messages/commands.ts', module: slackCommands, examples: slackCommandExamples },
  { title: 'Questions before a command acts', path: 'client/calls/questions.ts', module: questions, examples: questionExamples },
  { title: 'Slack: questions', path: 'slack/messages/questions.ts', module: slackQuestions, examples: slackQuestionExamples },
  { title: 'Slack: refusals', path: 'slack/messages/refusals.ts', module: slackRefusals, examples: slackExamples.refusalExamples },
  { title: 'Slack: forms', path: 'slack/messages/forms.ts', module: slackForms, examples: slackExamples.formExamples },
  { title: 'Slack: direct messages', path: 'slack/messages/direct.ts', module: slackDirect, examples: directExamples },
  { title: 'Slack: gates', path: 'slack/messages/gates.ts', module: slackGates, examples: slackExamples.gateExamples },
  { title: 'Slack: runs', path: 'slack/messages/run.ts', module: slackRun, examples: slackExamples.runExamples },
  {
    title: 'Slack: checks, plans and leftovers',
    path: 'slack/messages/cluster.ts',
    module: slackCluster,
    examples: slackExamples.clusterExamples,
  },
  { title: 'Slack: forecasts', path: 'slack/messages/forecasts.ts', module: slackForecasts, examples: slackForecastExamples },
  { title: 'Slack: proposed campaigns', path: 'slack/messages/proposals.ts', module: slackProposals, examples: slackProposalExamples },
  {
    title: 'Slack: what runs in a channel',
    path: 'slack/messages/overview.ts',
    module: slackOverview,
    examples: slackHomeExamples.overviewExamples,
  },
  { title: 'Slack: App Home', path: 'slack/messages/home.ts', module: slackHome, examples: slackHomeExamples.homeExamples },
  {
    title: 'Slack: form of campaigns',
    path: 'slack/messages/campaigns.ts',
    module: slackCampaigns,
    examples: slackCampaignExamples.campaignFormExamples,
  },
  { title: 'Slack: failures', path: 'slack/messages/failures.ts', module: slackFailures, examples: slackExamples.failureExamples },
  { title: 'Answers of Temporal', path: 'client/calls/messages.ts', module: client, examples: clientExamples },
  { title: 'Commands: arguments', path: 'cli/messages/arguments.ts', module: cliArguments, examples: cliExamples.argumentExamples },
  { title: 'Commands: apply', path: 'cli/messages/apply.ts', module: cliApply, examples: applyExamples },
  { title: 'Commands: questions', path: 'cli/messages/questions.ts', module: cliQuestions, examples: cliQuestionExamples },
  { title: 'Commands: outcomes', path: 'cli/messages/outcomes.ts', module: cliOutcomes, examples: cliExamples.outcomeExamples },
  { title: 'Commands: what they show', path: 'cli/messages/views.ts', module: cliViews, examples: cliExamples.viewExamples },
  { title: 'Commands: equal gates', path: 'cli/messages/bundles.ts', module: cliBundles, examples: cliBundleExamples },
  { title: 'Commands: without belay.yaml', path: 'cli/messages/without-file.ts', module: cliWithoutFile, examples: withoutFileExamples },
  { title: 'Commands: logs', path: 'cli/messages/threads.ts', module: cliThreads, examples: threadExamples },
  { title: 'Commands: status --watch', path: 'cli/messages/watch.ts', module: cliWatch, examples: watchExamples },
  { title: 'Commands: snapshots', path: 'cli/messages/snapshots.ts', module: cliSnapshots, examples: snapshotExamples },
  { title: 'Commands: fleets', path: 'cli/messages/fleet.ts', module: cliFleet, examples: cliExamples.fleetExamples },
  { title: 'Commands: proposed campaigns', path: 'cli/messages/proposals.ts', module: cliProposals, examples: cliProposalExamples },
  { title: 'Commands: mcp', path: 'cli/messages/mcp.ts', module: cliMcp, examples: mcpExamples },
  { title: 'Commands: releases', path: 'cli/messages/releases.ts', module: cliReleases, examples: cliExamples.releaseExamples },
  { title: 'Commands: setting up', path: 'cli/messages/setup.ts', module: cliSetup, examples: cliExamples.setupExamples },
];

export function messagesDocument(): string {
  return page(
    '# Messages',
    GENERATED,
    'For whoever reads Belay at 3 a.m., and whoever edits what it says: every message with an example. ℹ is information, ⚠ a warning, 🚨 an alarm; buttons are in brackets.',
    ...chapters.flatMap(({ title, path, module, examples }) => [
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
