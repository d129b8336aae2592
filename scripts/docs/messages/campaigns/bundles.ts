/** Examples of what is said of equal gates. */
import * as cli from '../../../../cli/messages/bundles.ts';
import * as slack from '../../../../slack/messages/bundles.ts';
import * as campaign from '../../../../workflows/messages/bundles.ts';
import { chapter } from '../chapter.ts';

const STEP = 'Node groups → 1.34';

export const campaignBundleChapter = chapter('Equal gates', 'workflows/messages/bundles.ts', campaign, {
  leftBundle: [['prod-7', 'the cluster has a problem: Deployment shop/cart has 1 of 3 replicas']],
});

export const slackBundleChapter = chapter('Slack: equal gates', 'slack/messages/bundles.ts', slack, {
  bundleTitle: [[STEP, 41]],
  bundleClosed: [[STEP]],
  bundleAsks: [['production', 41]],
  bundleOver: [[]],
  bundleTerms: [['clear', 'approvers 1', '11:50 AM today']],
  approveAll: [[41]],
  showList: [[]],
  bundleListTitle: [[]],
  readingBundle: [[]],
  pageOf: [[1, 2]],
  pageBack: [[]],
  pageOn: [[]],
  approvalMeans: [[41]],
  approving: [[20, 41]],
  sendingVotes: [[]],
});

export const cliBundleChapter = chapter('Commands: equal gates', 'cli/messages/bundles.ts', cli, {
  noEqualGates: [
    ['to-1-34', undefined],
    ['to-1-34', 'before:node-groups'],
  ],
  equalGates: [[{ step: STEP, ring: 'production', clusters: ['prod-1', 'prod-2'], verdict: 'clear', rules: 'approvers 1' }]],
  approveAllOf: [[41]],
  approveNeedsYes: [[41]],
  votesMissing: [[3, 4]],
  votesSent: [[50, 300]],
  undoOf: [['From here going back to 1.33 means moving nodes first.']],
});
