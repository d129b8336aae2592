/** `belay signing-key`: makes the key with which the Slack process signs, or shows the public part of the one that is set. */
import { Command, InvalidArgumentError } from 'commander';
import { messageOf } from '../../domain/core/unknown.ts';
import { print, withCommon } from '../shared/context.ts';
import { CliError } from '../shared/errors.ts';
import { writeAKeyId } from '../messages/arguments.ts';
import { privateKeyHeading, publicKeyHeading, signingKeyMissing } from '../messages/setup.ts';

interface Options {
  id?: string;
  appendTo?: string;
  public?: boolean;
}

export function signingKeyCommand(): Command {
  return (
    withCommon(new Command('signing-key'))
      .description("generate the Slack process's signing key: one line for its environment, one for belay.yaml")
      .option('--id <id>', 'name of the key (default: slack- and the date)', parseId)
      // Not --env-file: node takes an option of that name for itself, wherever it stands.
      .option('--append-to <file>', 'append the private line to this file, unless it already has a key, instead of printing it')
      .option('--public', 'only print the public line of BELAY_SIGNING_KEY')
      .action(async (options: Options) => {
        const { signingKey } = await import('../../worker/crypto/signing/key.ts');
        const { appendPrivateLine, newKeyLines, publicKeyOf, publicYaml } = await import('../../worker/crypto/signing/make.ts');
        if (options.public === true) {
          const key = signingKey(process.env);
          if (key === undefined) throw new CliError(signingKeyMissing());
          print(publicYaml({ id: key.id, publicKey: publicKeyOf(key) }));
          return;
        }
        const lines = newKeyLines(new Date(), options.id);
        if (options.appendTo !== undefined) {
          try {
            appendPrivateLine(options.appendTo, lines);
          } catch (error) {
            throw new CliError(messageOf(error));
          }
        }
        print(privateKeyHeading(options.appendTo));
        if (options.appendTo === undefined) print(lines.privateLine);
        print(publicKeyHeading());
        print(publicYaml(lines));
      })
  );
}

function parseId(value: string): string {
  if (!/^[A-Za-z0-9._-]{1,64}$/.test(value)) throw new InvalidArgumentError(writeAKeyId());
  return value;
}
