/** Systems Manager: the operations that are asked of it, so that a bundle has no others. */
import { GetParameterCommand, type GetParameterCommandInput, SSMClient, type SSMClientConfig } from '@aws-sdk/client-ssm';
import { prepared } from '../prepared-client.ts';
import type { CallOptions } from './call-options.ts';

export type Ssm = ReturnType<typeof openSsm>;

/** Nothing is sent yet. */
export function openSsm(config: SSMClientConfig) {
  const client = prepared(new SSMClient(config));
  return {
    getParameter: (input: GetParameterCommandInput, options: CallOptions) => client.send(new GetParameterCommand(input), options),
    destroy: () => client.destroy(),
  };
}
