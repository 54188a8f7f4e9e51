//! A file that is brought, taken by a send, let go and swept.

use domain::{
    attachments::{
        AttachmentKind, ContentType, ObjectKey,
        ports::{KeptUpload, NewUpload, UnusedUpload, UploadError, UploadLimit, UploadStore},
    },
    ids::{MemberId, UploadId, WorkspaceId},
    messages::ports::MessageStore,
    paging::{PageLimit, PageRequest},
};
use time::OffsetDateTime;

use super::*;

impl Inbox {
    /// A picture for which this many bytes are reserved until it has come.
    fn upload(&self, reserved: u64) -> NewUpload {
        let id = UploadId::from(self.world.ids.next());
        NewUpload {
            member: self.author,
            id,
            kind: AttachmentKind::Image,
            content_type: ContentType::read("image/png"),
            title: Some("a.png".to_owned()),
            key: key_of(id),
            reserved,
        }
    }

    /// A picture that was brought at this moment and has come.
    async fn brought(&self, at: OffsetDateTime) -> UploadId {
        let upload = self.upload(9);
        let id = upload.id;
        let most = UploadLimit { files: 100, bytes: 1_000 };
        UploadStore::begin(&*self.world.stores.attachments, self.world.workspace, &upload, at, most)
            .await
            .unwrap();
        assert_eq!(self.find(self.author, id).await, None, "it has not come");
        self.world.stores.attachments.finish(self.world.workspace, id, 7).await.unwrap();
        id
    }

    async fn find(&self, member: MemberId, id: UploadId) -> Option<KeptUpload> {
        self.find_in(self.world.workspace, member, id).await
    }

    async fn find_in(&self, workspace: WorkspaceId, member: MemberId, id: UploadId) -> Option<KeptUpload> {
        UploadStore::find(&*self.world.stores.attachments, workspace, member, id, NOW - 1.days())
            .await
            .unwrap()
    }

    async fn is_used(&self, id: UploadId) -> bool {
        self.find(self.author, id).await.unwrap().is_used
    }

    fn with_file(&self, upload: UploadId) -> Intent {
        let mut intent = self.reply();
        if let ConversationEntry::Reply(reply) = &mut intent.conversation_entry {
            reply.upload = Some(upload);
        }
        intent
    }

    async fn begin(&self, intent: &Intent, key: Option<&str>) -> ReserveOutcome {
        self.world.try_begin(intent, key.map(super::key), None).await
    }

    async fn shown(&self) -> Vec<Vec<String>> {
        let page = PageRequest { limit: PageLimit::default(), after: None };
        let listed =
            self.world.stores.messages.list(self.world.workspace, self.conversation, page).await.unwrap();
        let names = |files: Vec<_>| files.into_iter().map(file_name).collect();
        listed.unwrap().into_iter().map(|kept| names(kept.files)).collect()
    }
}

fn file_name(file: domain::attachments::StoredAttachment) -> String {
    file.title.unwrap()
}

fn key_of(id: UploadId) -> ObjectKey {
    let name = format!("{0}{0}", id.uuid().simple());
    ObjectKey::read(&format!("{}/{name}.png", id.uuid())).unwrap()
}

#[tokio::test]
async fn a_file_goes_with_its_send_and_shows_in_the_conversation() {
    let inbox = Inbox::new().await;
    let upload = inbox.brought(NOW).await;
    let intent = inbox.with_file(upload);
    assert!(matches!(inbox.begin(&intent, None).await, ReserveOutcome::Started));
    assert!(inbox.is_used(upload).await);
    let parts =
        inbox.world.stores.sends.conversation_of(inbox.world.workspace, inbox.conversation, intent.id).await;
    assert_eq!(parts.unwrap().files, [inbox.find(inbox.author, upload).await.unwrap().file]);
    assert_eq!(inbox.shown().await.len(), 1, "the message is not there yet");

    let sent = inbox.world.settle(&intent).await.unwrap().unwrap();
    let [file] = &sent.message.as_ref().unwrap().attachments[..] else { panic!("{sent:?}") };
    assert_eq!((file.kind, file.content_type, file.bytes), (AttachmentKind::Image, "image/png", 7));
    assert_eq!(inbox.shown().await, [vec!["a.png".to_owned()], vec![]]);
    inbox.world.stores.sends.release(inbox.world.workspace, &[intent.attempt()]).await.unwrap();
    assert!(inbox.is_used(upload).await, "what is sent is not released");
}

#[tokio::test]
async fn of_many_sends_one_has_the_file_and_a_released_one_lets_it_go() {
    let inbox = Inbox::new().await;
    let upload = inbox.brought(NOW).await;
    let begun = join_all((0..10).map(|_| async {
        let intent = inbox.with_file(upload);
        (intent.attempt(), inbox.begin(&intent, None).await)
    }));
    let mut started = Vec::new();
    for (attempt, begun) in begun.await {
        match begun {
            ReserveOutcome::Started => started.push(attempt),
            other => assert!(matches!(other, ReserveOutcome::FileTaken), "{other:?}"),
        }
    }
    let [winner] = started[..] else { panic!("{started:?}") };
    assert_eq!(inbox.world.count("sends WHERE state = 'in_flight'").await, 1);

    inbox.world.stores.sends.release(inbox.world.workspace, &[winner]).await.unwrap();
    assert!(!inbox.is_used(upload).await);
    let again = inbox.with_file(upload);
    assert!(matches!(inbox.begin(&again, Some("again")).await, ReserveOutcome::Started));
    let repeat = inbox.with_file(upload);
    let repeated = inbox.begin(&repeat, Some("again")).await;
    assert!(matches!(repeated, ReserveOutcome::KeyTaken(_)), "the key is heard first: {repeated:?}");
}

#[tokio::test]
async fn a_refused_reply_keeps_its_file_in_the_conversation() {
    let inbox = Inbox::new().await;
    let upload = inbox.brought(NOW).await;
    let intent = inbox.with_file(upload);
    inbox.begin(&intent, None).await;
    inbox.refuse(&intent).await;
    assert_eq!(inbox.shown().await, [vec!["a.png".to_owned()], vec![]]);
    assert!(inbox.is_used(upload).await);
}

#[tokio::test]
async fn a_file_is_its_member_s_own_for_a_day_and_swept_after_it() {
    let inbox = Inbox::new().await;
    let (fresh, old) = (inbox.brought(NOW).await, inbox.brought(NOW - 1.hours()).await);
    let nobody = MemberId::from(inbox.world.ids.next());
    assert_eq!(inbox.find(nobody, fresh).await, None);
    let day = "UPDATE uploads SET created_at = $2 WHERE id = $1";
    inbox.world.execute(day, &[&old.uuid(), &(NOW - 25.hours())]).await;
    assert_eq!(inbox.find(inbox.author, old).await, None);
    let late = inbox.with_file(old);
    assert!(matches!(inbox.begin(&late, None).await, ReserveOutcome::FileTaken));

    let before = NOW - 1.days();
    let (stores, workspace) = (inbox.world.stores.clone(), inbox.world.workspace);
    assert_eq!(stores.attachments.workspaces_with_unused(before).await.unwrap(), [workspace]);
    let unused = stores.attachments.unused(workspace, before, None, 9).await.unwrap();
    let found: Vec<_> = unused.iter().map(|upload| (upload.id, upload.key.clone())).collect();
    assert_eq!(found, [(old, Some(key_of(old)))]);
    let behind = unused.last().map(UnusedUpload::place);
    assert_eq!(stores.attachments.unused(workspace, before, behind, 9).await.unwrap(), []);
    for id in [old, fresh] {
        stores.attachments.remove(workspace, id).await.unwrap();
    }
    assert!(stores.attachments.finish(workspace, old, 1).await.is_err(), "it is gone");
    assert_eq!(inbox.world.count("uploads").await, 0);

    let ours = inbox.brought(NOW).await;
    let other = inbox.world.add_workspace().await;
    assert_eq!(inbox.find_in(other, inbox.author, ours).await, None);
    inbox.begin(&inbox.with_file(ours), None).await;
    stores.attachments.remove(workspace, ours).await.unwrap();
    assert!(inbox.is_used(ours).await, "a message has it");
}

#[tokio::test]
async fn no_more_files_wait_than_may() {
    let inbox = Inbox::new().await;
    for _ in 0..3 {
        inbox.brought(NOW).await;
    }
    let upload = inbox.upload(9);
    // Three of seven bytes each, which had nine reserved, and this one.
    let (too_many, too_many_bytes) = (Err(UploadError::TooMany), Err(UploadError::TooManyBytes));
    for (files, bytes, room) in [(3, 1_000, too_many), (4, 29, too_many_bytes.clone()), (4, 30, Ok(()))] {
        let begun = UploadStore::begin(
            &*inbox.world.stores.attachments,
            inbox.world.workspace,
            &upload,
            NOW,
            UploadLimit { files, bytes },
        )
        .await;
        assert_eq!(begun, room);
    }
    // An upload that is still coming counts with its reserved size.
    let next = NewUpload { id: UploadId::from(inbox.world.ids.next()), reserved: 1, ..upload };
    for (bytes, room) in [(30, too_many_bytes), (31, Ok(()))] {
        let begun = UploadStore::begin(
            &*inbox.world.stores.attachments,
            inbox.world.workspace,
            &next,
            NOW,
            UploadLimit { files: 9, bytes },
        )
        .await;
        assert_eq!(begun, room);
    }
}

#[tokio::test]
async fn files_that_begin_at_the_same_time_do_not_pass_the_bound_together() {
    let inbox = Inbox::new().await;
    let begun = (0..12).map(|_| {
        let upload = inbox.upload(10);
        let (stores, workspace) = (inbox.world.stores.clone(), inbox.world.workspace);
        async move {
            UploadStore::begin(
                &*stores.attachments,
                workspace,
                &upload,
                NOW,
                UploadLimit { files: 9, bytes: 35 },
            )
            .await
        }
    });
    let begun = join_all(begun).await;
    assert_eq!(begun.iter().filter(|begun| begun.is_ok()).count(), 3);
}
