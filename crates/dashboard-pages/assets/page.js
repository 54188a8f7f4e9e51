// What every page does where scripts run. Each part stands by itself, and no page needs one to work.

import { offerCanned } from "./canned.js";
import { compose } from "./composer.js";
import { all, member } from "./dom.js";
import { offerFiles } from "./file.js";
import { askFirst, sendAgain, sendLink, sendOnce, stayInPlace } from "./forms.js";
import { useKeys } from "./keys.js";
import { follow } from "./live.js";
import { offerPalette } from "./palette.js";
import { offerChoices } from "./prefs.js";
import { bePresent } from "./present.js";
import { switchConversations } from "./switch.js";
import { countDown, showTimes } from "./times.js";
import { keepTyped } from "./typed.js";
import { forgetAfterSignOut } from "./unsent.js";
import { offerUploads } from "./upload.js";

forgetAfterSignOut();
showTimes(document);
countDown();
sendLink();
sendAgain();
askFirst();
if (member) follow();
offerUploads();
offerFiles();
keepTyped();
switchConversations((signal) => {
  if (matchMedia("(width >= 75rem)").matches) {
    for (const details of all(document, "details[data-wide]", HTMLDetailsElement)) details.open = true;
  }
  offerCanned(signal);
  compose(signal);
  bePresent(signal);
});
useKeys();
offerPalette();
offerChoices();
stayInPlace();
// Last, so that it knows what the others have taken.
sendOnce();
