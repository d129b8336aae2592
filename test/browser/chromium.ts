/** Chromium for tests and pictures: headless, without a profile of its own kept, silent towards the network. */
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const ARGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Throws an error that says how to get Chromium. The profile is a fresh one, removed with the browser. */
export async function launchChromium(): Promise<Browser> {
  const given = process.env['CHROMIUM_PATH'];
  const executablePath = given ?? PLACES.find((place) => existsSync(place));
  if (executablePath === undefined || !existsSync(executablePath)) {
    throw new Error(
      `Chromium was not found${given === undefined ? '' : ` at ${given}`}: install it (apt-get install chromium), or set CHROMIUM_PATH to a Chromium or Chrome.`,
    );
  }
  return await chromium.launch({ executablePath, args: ARGS });
}
