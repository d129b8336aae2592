/** Examples of client/calls/messages.ts. */
import * as messages from '../../../../client/calls/messages.ts';
import { chapter } from '../chapter.ts';

const ADDRESS = 'temporal:7233';
const OPEN = ['approval:start', 'failed:add-ons'];

export const clientChapter = chapter('Answers of Temporal', 'client/calls/messages.ts', messages, {
  bundleGone: [[]],
  runHasEnded: [[]],
  notTried: [['Temporal did not answer within 5 s']],
  bundleApproved: [
    [
      {
        bundle: { step: 'Node groups → 1.34', rules: 'approvers 1' },
        results: [
          { cluster: 'prod-1', result: { kind: 'voted' } },
          { cluster: 'prod-2', result: { kind: 'dropped', why: 'its plan is another one now' } },
          { cluster: 'prod-3', result: { kind: 'unreached', why: 'Temporal did not answer within 5 s' } },
          { cluster: 'prod-4', result: { kind: 'kept' } },
        ],
      },
    ],
  ],
  gateClosed: [[]],
  earlierRun: [[]],
  runForgotten: [
    ['staging', '1.32'],
    ['staging', undefined],
  ],
  forgottenTried: [['decide approve at before:control-plane@1.32#1', 'eks-upgrade/111122223333/eu-west-1/staging']],
  kept: [[]],
  keptBriefly: [[]],
  stillChecking: [[]],
  notRunning: [['staging', 'nothing to pause']],
  whichUpgrade: [[]],
  notAGate: [['"approval" is not the id of a gate']],
  noSuchGate: [['approve', OPEN]],
  gateUnnamed: [['staging']],
  wholeGateNeeded: [['before:pre-checks']],
  severalGates: [['failed', ['failed:add-ons', 'failed:istio']]],
  noSuchChoice: [['approval:start', 'aprove', ['approve', 'reject']]],
  nothingFailed: [['staging', 'retry', ['approval:start']]],
  nothingFailedAsFarAsKnown: [['staging', 'retry']],
  severalFailed: [['staging', ['failed:add-ons', 'failed:istio']]],
  choiceNotOffered: [['failed:control-plane', 'skip', ['retry', 'abort']]],
  notAMinor: [['latest']],
  notAStep: [['add ons']],
  alreadyUpgrading: [['staging', { to: '1.32', state: 'Rolling the nodes.', by: 'ada', at: '2026-03-03T12:00:00Z' }], ['staging']],
  outsideWindow: [['staging', 'its window is closed', 'on Tuesday at 10:00']],
  refusedByRules: [
    ['staging', { target: '1.34' }, [{ rule: 'EKS001', message: '12 nodes are at 1.30.', remedy: 'Replace them first.' }]],
    ['staging', { target: '1.31', back: true }, [{ rule: 'RBK011', message: 'Seven days have passed.', remedy: 'Stay at 1.32.' }]],
  ],
  planFailed: [['cluster staging does not exist in eu-west-1']],
  planTooSlow: [[600, 'plan/111122223333/eu-west-1/staging']],
  checkFailed: [['cluster staging does not exist in eu-west-1']],
  forecastFailed: [['describing cluster staging: AWS answered AccessDeniedException']],
  noAnswerWithin: [[60]],
  reconcileFailed: [['the API server does not answer']],
  reconcileTooSlow: [['upgrade/111122223333/eu-west-1/staging']],
  noKnownUpgrade: [['staging']],
  noGateOpen: [['staging']],
  whichOpenGate: [['staging', ['before:control-plane@1.32#1', 'failed:node-groups@1.32#1']]],
  noSuchRun: [['staging', '0198c0de-0000-7000-8000-000000000001']],
  statusUnread: [['unknown query type']],
  statusWithoutWorker: [['belay', 2]],
  gatesUnseen: [[]],
  noWorker: [['belay']],
  noCurrentVersion: [
    ['belay', 'temporal worker deployment set-current-version --deployment-name belay --build-id v0-2-0 --namespace default'],
  ],
  temporalUnreachable: [[ADDRESS]],
  noNamespace: [[ADDRESS, 'upgrades']],
  credentialsRefused: [[ADDRESS, 'invalid token']],
  attributeMissing: [['default', 'BelayCluster']],
  temporalAnswered: [[ADDRESS, 'workflow task queue is throttled']],
  campaignProblems: [['to-1-34', ['Ring prod has no cluster. Correct what it selects, or write optional: true.']]],
  campaignRunning: [['to-1-34']],
  noCampaign: [['to-1-34']],
  campaignNotPaused: [['to-1-34', 'prod', 'You are not an approver.']],
  runsCommanded: [
    [{ verb: 'pause', results: [] }],
    [
      {
        verb: 'pause',
        results: [
          { cluster: 'prod-a', result: { kind: 'done' } },
          { cluster: 'prod-b', result: { kind: 'refused', why: 'The upgrade is paused already.' } },
          { cluster: 'prod-c', result: { kind: 'unreached', why: 'Temporal does not answer.' } },
        ],
      },
    ],
  ],
  noProposals: [[]],
  campaignSilent: [[]],
  noSuchCampaignYet: [['to-1-34', 10]],
  moreRefused: [[5]],
});
