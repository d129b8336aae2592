/** VitePress's own theme with the system's fonts, the player of recordings, and what wide tables need. */
import type { Theme } from 'vitepress';
import DefaultTheme from 'vitepress/theme-without-fonts';
import { Recording } from './recording.ts';
import './style.css';

export default {
  extends: DefaultTheme,
  enhanceApp: ({ app }) => void app.component('Recording', Recording),
} satisfies Theme;
