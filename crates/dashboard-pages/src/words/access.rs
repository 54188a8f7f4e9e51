//! Words of signing in, and of the links that lead to the dashboard.

use super::pair::words;

words! {
    /// Words of signing in, and of the links that lead to the dashboard.
    AccessWords:
    sign_in: "Sign in", "تسجيل الدخول";
    email: "E-mail address", "البريد الإلكتروني";
    password: "Password", "كلمة المرور";
    code: "Code of your second factor", "رمز التحقق بخطوتين";
    code_hint: "The six digits of your app, or a recovery code", "الأرقام الستة من تطبيقك، أو رمز استرداد";
    workspace: "Workspace", "مساحة العمل";
    forgotten: "Forgotten your password?", "نسيت كلمة المرور؟";
    forgotten_title: "Another password", "كلمة مرور جديدة";
    forgotten_hint: "Write your e-mail address. If it is known here, a link goes there.", "اكتب بريدك الإلكتروني. إن كان معروفاً هنا فسيصله رابط.";
    send_link: "Send the link", "أرسل الرابط";
    link_sent: "If that address is known here, a link is on its way to it. It works for an hour.", "إن كان هذا البريد معروفاً هنا فالرابط في طريقه إليه. يعمل الرابط لمدة ساعة.";
    to_sign_in: "Back to signing in", "العودة إلى تسجيل الدخول";
    link_hint: "Paste the whole link that you were given.", "الصق الرابط كاملاً كما وصلك.";
    link: "Link", "الرابط";
    go_on: "Go on", "متابعة";
    invitation_title: "Your invitation", "دعوتك";
    invites: "invites you to the team", "تدعوك إلى الفريق";
    your_name: "Your name", "اسمك";
    new_password: "New password", "كلمة المرور الجديدة";
    password_hint: "At least 10 characters", "عشرة أحرف على الأقل";
    accept: "Join the team", "انضم إلى الفريق";
    set_password: "Set the password", "اعتمد كلمة المرور";
    password_is_set: "Your password is set. Sign in with it now.", "تم اعتماد كلمة المرور. سجّل الدخول بها الآن.";
    signed_out: "You are signed out.", "تم تسجيل خروجك.";
    session_ended: "Your session has ended: it was ended from elsewhere, not used for long, or you are no longer on the team. If signing in fails, ask an owner.", "انتهت جلستك: أُنهيت من مكان آخر، أو لم تُستعمل مدة طويلة، أو لم تعد عضواً في الفريق. إن تعذر الدخول فاسأل مالك مساحة العمل.";
    left: "You have left the workspace.", "غادرت مساحة العمل.";
    name_rule: "A name has 1 to 200 characters.", "الاسم من حرف واحد إلى 200 حرف.";
    password_too_short: "It has fewer than 10 characters.", "أقل من عشرة أحرف.";
    password_too_long: "It is too long.", "أطول مما يجب.";
    password_repeated: "It is one character over and over.", "حرف واحد مكرر.";
    password_common: "It is one of those that anybody tries first.", "من الكلمات التي يجربها أي شخص أولاً.";
}
