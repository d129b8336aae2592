/** Account clients whose answers a test gives by operation; any other operation that is asked fails the call. */
import type { AccountClients } from '../../../activities/clients/aws/account-clients.ts';

type Input = Record<string, unknown>;
export type Answers = Record<string, (input: Input) => unknown>;

export interface FakeAccount {
  clients: AccountClients;
  /** Operations in the order in which they were asked. */
  asked: { operation: string; input: Input }[];
}

/** `answers` may be changed between calls. */
export function fakeAccount(answers: Answers): FakeAccount {
  const asked: FakeAccount['asked'] = [];
  const service = new Proxy(
    {},
    {
      get: (_target, operation) => {
        // An async function that gives the service asks whether it is a promise.
        if (operation === 'then') return undefined;
        return async (input: Input) => {
          const answer = answers[String(operation)];
          if (answer === undefined) throw new Error(`${String(operation)} is no part of this test`);
          asked.push({ operation: String(operation), input });
          return await answer(input);
        };
      },
    },
  );
  const open = async () => service;
  return { clients: { autoScaling: open, ec2: open, iam: open, ssm: open } as unknown as AccountClients, asked };
}

/** An error as AWS names it. */
export function awsError(name: string, message = `${name} of the fake`): Error {
  return Object.assign(new Error(message), { name, $fault: 'client', $metadata: { httpStatusCode: 400 } });
}
