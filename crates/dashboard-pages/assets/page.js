// What every page does where scripts run. Each part stands by itself, and no page needs one to work.

import { offerCanned } from "./canned.js";
import { compose } from "./composer.js";
import { offerCopies } from "./copy.js";
import { member } from "./dom.js";
import { offerEmoji } from "./emoji.js";
import { offerFiles } from "./file.js";
import { askFirst, sendAgain, sendLink, sendOnce, stayInPlace } from "./forms.js";
import { readBack } from "./history.js";
import { useKeys } from "./keys.js";
import { follow } from "./live.js";
import { offerMenus, unfoldDetails } from "./menus.js";
import { offerPalette } from "./palette.js";
import { markCount } from "./patch.js";
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
if (member) {
  follow();
  navigator.serviceWorker?.register(`/dashboard/service-worker.js?${document.documentElement.lang}`).catch(() => {});
}
offerUploads();
offerFiles();
offerCopies();
keepTyped();
switchConversations((signal) => {
  unfoldDetails();
  offerCanned(signal);
  offerEmoji(signal);
  readBack(signal);
  compose(signal);
  bePresent(signal);
});
offerMenus();
markCount();
useKeys();
offerPalette();
offerChoices();
stayInPlace();
// Last, so that it knows what the others have taken.
sendOnce();
