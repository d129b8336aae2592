/** `signing:` in belay.yaml: the public keys of Slack processes whose messages workers believe. */
import { z } from 'zod';
import { text } from '../base/fields.ts';

const RIGHT_KEY = 'write 32 bytes in base64, as "belay signing-key" prints them';

export const signingSchema = z
  .strictObject({
    publicKeys: z
      .record(
        text('write the id of a key: letters, digits, ".", "_" and "-"', /^[A-Za-z0-9._-]{1,64}$/),
        text(RIGHT_KEY, /^[A-Za-z0-9+/]{43}=$/),
        { error: 'write public keys by their ids' },
      )
      .describe('Ed25519 public keys by id, as `belay signing-key` prints them; several while a key is replaced')
      .optional(),
  })
  .describe('Whose messages workers believe: the Slack process signs what it received from Slack with BELAY_SIGNING_KEY');
