/** Examples of cli/messages/mcp.ts. */
import * as mcp from '../../../../cli/messages/mcp.ts';
import { chapter } from '../chapter.ts';

export const mcpChapter = chapter('Commands: mcp', 'cli/messages/mcp.ts', mcp, {
  untrusted: [[]],
  readOnly: [[]],
  noSuchTool: [['start', ['check', 'plan']]],
  wrongInput: [['plan', ['target: "latest" is not valid; write a Kubernetes minor in quotes, such as "1.34"']]],
  nameACluster: [[['prod', 'staging'], 'belay.yaml']],
  fileSaysWhere: [['region', 'belay.yaml']],
  contextOrPlace: [['region']],
  nextOffered: [['1.34']],
  defaultsUsed: [[{ cluster: 'prod', version: '1.33', account: '111122223333', region: 'eu-central-1', context: 'work' }]],
  problemOfTool: [['Which cluster? Name one of eu-central-1 with --cluster NAME: prod, staging.'], ['No cluster was chosen.']],
  noneOfAccount: [['prd', 'prod', ['prod', 'staging']]],
  needsFile: [['status'], ['record']],
  writeACheck: [[]],
  textCut: [[60_000, 81_234]],
  dataShortened: [[50]],
  dataLeftOut: [[]],
  toolRuns: [['plan']],
  toolFailed: [['plan', 'reading cluster prod: AWS credentials are missing']],
});
