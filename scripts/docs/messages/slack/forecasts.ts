/** Examples of slack/messages/forecasts. */
import * as forecasts from '../../../../slack/messages/forecasts.ts';
import { chapter } from '../chapter.ts';

const TOTAL = '3 h 10 min (p90 4 h 5 min)';

export const slackForecastChapter = chapter('Slack: forecasts', 'slack/messages/forecasts.ts', forecasts, {
  forecasting: [['staging', '1.32']],
  forecastRunsAlready: [[{ cluster: 'staging', target: '1.32', requestedBy: 'ada' }]],
  forecastRunning: [['staging', '1.32']],
  forecastNotMade: [['staging', '1.32']],
  forecastTitle: [['staging', '1.31', '1.32']],
  forecastHeadline: [
    [{ total: TOTAL, nodes: '45 (p90 47)', blockedCount: 2, downCount: 1 }],
    [{ total: TOTAL, nodes: '45', blockedCount: 0, downCount: 0 }],
  ],
  willBlock: [[]],
  willBeDown: [[]],
  downFor: [['Deployment shop/cart', '2 min (p90 4 min)']],
  willAsk: [[]],
  asksAt: [['Move the control plane to 1.32?'], ['A node cannot be replaced', 75]],
  nodesByOwner: [[]],
  replacedOf: [['NodePool general', '42 (p90 44)']],
  beside: [[{ nodes: '5 (p90 6)', vcpus: '40', addresses: '145', volumes: '4' }]],
  shortOfAddresses: [['eu-central-1b', 58, 40]],
  limitsOfForecast: [[]],
  moreLines: [[12]],
  howForecastWasMade: [
    [
      {
        runs: 20,
        plan: 'b1946ac92492',
        strategy: 'every-hop',
        snapshot: '2026-03-03 12:00 UTC',
        bases: 'lengths by source: measured in the snapshot 5, reports of other clusters 2',
      },
    ],
  ],
  pageAttached: [[]],
  pageNotAttached: [['Slack answered file_uploads_disabled', 'belay forecast staging --target 1.32 --format html --output forecast.html']],
  forecastNotKept: [['AccessDenied: s3:PutObject']],
});
