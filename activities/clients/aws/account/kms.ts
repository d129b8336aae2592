/** KMS: the operations that are asked of it, so that a bundle has no others. */
import { DescribeKeyCommand, type DescribeKeyCommandInput, KMSClient, type KMSClientConfig } from '@aws-sdk/client-kms';
import { prepared } from '../prepared-client.ts';
import type { CallOptions } from './call-options.ts';

export type Kms = ReturnType<typeof openKms>;

/** Nothing is sent yet. */
export function openKms(config: KMSClientConfig) {
  const client = prepared(new KMSClient(config));
  return {
    describeKey: (input: DescribeKeyCommandInput, options: CallOptions) => client.send(new DescribeKeyCommand(input), options),
    destroy: () => client.destroy(),
  };
}
