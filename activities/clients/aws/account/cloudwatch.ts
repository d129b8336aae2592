/** CloudWatch: the operations that are asked of it, so that a bundle has no others. */
import {
  CloudWatchClient,
  type CloudWatchClientConfig,
  GetMetricDataCommand,
  type GetMetricDataCommandInput,
} from '@aws-sdk/client-cloudwatch';
import { dateReader } from '../server-date.ts';
import { prepared } from '../prepared-client.ts';
import type { CallOptions } from './call-options.ts';

export type CloudWatch = ReturnType<typeof openCloudWatch>;

/** Nothing is sent yet. */
export function openCloudWatch(config: CloudWatchClientConfig) {
  const client = prepared(new CloudWatchClient(config));
  const date = dateReader();
  client.middlewareStack.add(date.middleware, date.options);
  return {
    getMetricData: (input: GetMetricDataCommandInput, options: CallOptions) => client.send(new GetMetricDataCommand(input), options),
    /** CloudWatch's own Date of its last answer, ISO 8601. */
    date: date.last,
    destroy: () => client.destroy(),
  };
}
