//! Tables as the migrations make them, written by `cargo xtask schema`; a test fails if they are stale.

diesel::table! {
    account_routes (network_id) {
        network_id -> Text,
        workspace_id -> Uuid,
        account_id -> Uuid,
    }
}

diesel::table! {
    accounts (workspace_id, id) {
        workspace_id -> Uuid,
        id -> Uuid,
        network_id -> Text,
        token_sealed -> Binary,
        connected_at -> Timestamptz,
        templates_synced_at -> Nullable<Timestamptz>,
        templates_due_at -> Timestamptz,
        disconnected_at -> Nullable<Timestamptz>,
        standing -> Nullable<Jsonb>,
        standing_at -> Nullable<Timestamptz>,
        problem -> Nullable<Jsonb>,
        page_due_at -> Nullable<Timestamptz>,
        page_name -> Nullable<Text>,
        page_read_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    api_keys (key_hash) {
        key_hash -> Binary,
        id -> Uuid,
        workspace_id -> Uuid,
        creator_id -> Uuid,
        label -> Text,
        scopes -> Array<Text>,
        created_at -> Timestamptz,
        revoked_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    assistant_questions (workspace_id, id) {
        workspace_id -> Uuid,
        id -> Uuid,
        question -> Text,
        expects -> Text,
        must -> Array<Text>,
        must_not -> Array<Text>,
        created_at -> Timestamptz,
        changed_at -> Timestamptz,
        due_in -> Nullable<Uuid>,
        result -> Nullable<Jsonb>,
        asked_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    assistant_rehearsals (workspace_id, id) {
        workspace_id -> Uuid,
        id -> Uuid,
        member_id -> Nullable<Uuid>,
        state -> Text,
        fingerprint -> Text,
        total -> Integer,
        passed -> Integer,
        failed -> Integer,
        not_answered -> Integer,
        not_answered_in_row -> Integer,
        claims -> Integer,
        lease_until -> Nullable<Timestamptz>,
        created_at -> Timestamptz,
        changed_at -> Timestamptz,
    }
}

diesel::table! {
    assistant_turn_log (workspace_id, id) {
        workspace_id -> Uuid,
        id -> Uuid,
        conversation_id -> Uuid,
        outcome -> Text,
        reason -> Nullable<Text>,
        tools -> Array<Text>,
        refused -> Array<Text>,
        read_tokens -> BigInt,
        written_tokens -> BigInt,
        milliseconds -> BigInt,
        created_at -> Timestamptz,
        acts -> Array<Text>,
        evidence -> Array<Text>,
        words -> Nullable<Text>,
        objection -> Nullable<Text>,
    }
}

diesel::table! {
    assistant_turns (workspace_id, conversation_id) {
        workspace_id -> Uuid,
        conversation_id -> Uuid,
        due_at -> Nullable<Timestamptz>,
        answer_by -> Nullable<Timestamptz>,
        waiting_since -> Nullable<Timestamptz>,
        heard -> BigInt,
        sending_id -> Nullable<Uuid>,
        sending_until -> Nullable<Timestamptz>,
        person_spoke_at -> Nullable<Timestamptz>,
        day -> Date,
        turns -> Integer,
        wait_message_id -> Nullable<Uuid>,
        told_to_wait_at -> Nullable<Timestamptz>,
        waits_on_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    assistant_usage (workspace_id, day) {
        workspace_id -> Uuid,
        day -> Date,
        turns -> BigInt,
        answered -> BigInt,
        handed_over -> BigInt,
        read_tokens -> BigInt,
        written_tokens -> BigInt,
        reserved_tokens -> BigInt,
        cost -> BigInt,
        reserved_cost -> BigInt,
    }
}

diesel::table! {
    assistants (workspace_id) {
        workspace_id -> Uuid,
        mode -> Text,
        settings -> Jsonb,
        group_id -> Nullable<Uuid>,
        daily_tokens -> BigInt,
        changed_at -> Timestamptz,
    }
}

diesel::table! {
    attachment_queue (workspace_id, message_id) {
        workspace_id -> Uuid,
        message_id -> Uuid,
        attempts -> Integer,
        recorded_at -> Timestamptz,
        due_at -> Timestamptz,
    }
}

diesel::table! {
    attachments (workspace_id, message_id, position) {
        workspace_id -> Uuid,
        message_id -> Uuid,
        position -> Integer,
        kind -> Text,
        state -> Text,
        source_sealed -> Nullable<Binary>,
        sha256 -> Nullable<Binary>,
        content_type -> Nullable<Text>,
        title -> Nullable<Text>,
        voice -> Bool,
        object_key -> Nullable<Text>,
        bytes -> Nullable<BigInt>,
    }
}

diesel::table! {
    attempt_windows (key_hash) {
        key_hash -> Binary,
        started_at -> Timestamptz,
        used -> Integer,
    }
}

diesel::table! {
    audit_log (workspace_id, id) {
        workspace_id -> Uuid,
        id -> Uuid,
        member_id -> Nullable<Uuid>,
        action -> Text,
        subject -> Nullable<Text>,
        details -> Jsonb,
        address -> Nullable<Text>,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    automation_triggers (workspace_id, message_id) {
        workspace_id -> Uuid,
        message_id -> Uuid,
        began -> Bool,
        steps -> Nullable<Jsonb>,
        done -> Integer,
        attempts -> Integer,
        due_at -> Timestamptz,
    }
}

diesel::table! {
    automations (workspace_id, id) {
        workspace_id -> Uuid,
        id -> Uuid,
        name -> Text,
        author_id -> Uuid,
        enabled -> Bool,
        rule -> Jsonb,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    booking_requests (workspace_id, id) {
        workspace_id -> Uuid,
        id -> Uuid,
        key_hash -> Nullable<Binary>,
        request_hash -> Nullable<Binary>,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    broadcast_counts (workspace_id, broadcast_id, part) {
        workspace_id -> Uuid,
        broadcast_id -> Uuid,
        part -> SmallInt,
        delivered -> BigInt,
        read -> BigInt,
        undelivered -> BigInt,
        answered -> BigInt,
        stopped -> BigInt,
    }
}

diesel::table! {
    broadcast_left_out (workspace_id, broadcast_id, channel_id) {
        workspace_id -> Uuid,
        broadcast_id -> Uuid,
        channel_id -> Uuid,
        reason -> Text,
        code -> Nullable<BigInt>,
        left_out_at -> Timestamptz,
    }
}

diesel::table! {
    broadcast_list_people (workspace_id, list_id, phone) {
        workspace_id -> Uuid,
        list_id -> Uuid,
        phone -> Text,
        id -> Uuid,
        filled_in -> Jsonb,
    }
}

diesel::table! {
    broadcast_lists (workspace_id, id) {
        workspace_id -> Uuid,
        id -> Uuid,
        name -> Text,
        titles -> Array<Text>,
        people -> BigInt,
        complete -> Bool,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    broadcast_marks (workspace_id, broadcast_id, kind, message_id) {
        workspace_id -> Uuid,
        broadcast_id -> Uuid,
        kind -> Text,
        message_id -> Uuid,
        marked_at -> Timestamptz,
    }
}

diesel::table! {
    broadcast_people (workspace_id, broadcast_id, phone) {
        workspace_id -> Uuid,
        broadcast_id -> Uuid,
        phone -> Text,
        contact_id -> Nullable<Uuid>,
        name -> Nullable<Text>,
        message_id -> Uuid,
        state -> Text,
        reason -> Nullable<Text>,
        changed_at -> Timestamptz,
    }
}

diesel::table! {
    broadcast_people_counts (workspace_id, broadcast_id, state, reason) {
        workspace_id -> Uuid,
        broadcast_id -> Uuid,
        state -> Text,
        reason -> Text,
        people -> BigInt,
    }
}

diesel::table! {
    broadcast_prices (workspace_id) {
        workspace_id -> Uuid,
        prices -> Jsonb,
    }
}

diesel::table! {
    broadcast_written_to (workspace_id, broadcast_id, channel_id, since) {
        workspace_id -> Uuid,
        broadcast_id -> Uuid,
        channel_id -> Uuid,
        since -> Timestamptz,
        people -> BigInt,
    }
}

diesel::table! {
    broadcasts (workspace_id, id) {
        workspace_id -> Uuid,
        id -> Uuid,
        name -> Text,
        state -> Text,
        content -> Jsonb,
        audience -> Jsonb,
        author_id -> Uuid,
        reason -> Nullable<Text>,
        created_at -> Timestamptz,
        starts_at -> Nullable<Timestamptz>,
        ended_at -> Nullable<Timestamptz>,
        collected -> Bool,
        collected_at -> Nullable<Timestamptz>,
        collected_id -> Nullable<Uuid>,
        due_at -> Nullable<Timestamptz>,
        limited_until -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    canned_replies (workspace_id, id) {
        workspace_id -> Uuid,
        id -> Uuid,
        shortcut -> Text,
        folded -> Text,
        text -> Text,
        author_id -> Uuid,
        changed_at -> Timestamptz,
    }
}

diesel::table! {
    channel_alerts (workspace_id, id) {
        workspace_id -> Uuid,
        id -> Uuid,
        account_network_id -> Text,
        phone -> Nullable<Text>,
        kind -> Text,
        detail -> Nullable<Text>,
        created_at -> Timestamptz,
        mailed_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    channel_routes (network_id) {
        network_id -> Text,
        workspace_id -> Uuid,
        channel_id -> Uuid,
        send_only -> Bool,
        disconnected -> Bool,
    }
}

diesel::table! {
    channels (workspace_id, id) {
        workspace_id -> Uuid,
        id -> Uuid,
        kind -> Text,
        account_id -> Uuid,
        network_id -> Text,
        phone -> Nullable<Text>,
        send_only -> Bool,
        connected_at -> Timestamptz,
        position -> Integer,
        disconnected_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    commitments (workspace_id, id) {
        workspace_id -> Uuid,
        id -> Uuid,
        draft_id -> Uuid,
        conversation_id -> Uuid,
        confirmed_by -> Uuid,
        creation_key -> Text,
        state -> Text,
        attempts -> Integer,
        due_at -> Nullable<Timestamptz>,
        confirmed_at -> Timestamptz,
        settled_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    contact_aliases (workspace_id, id) {
        workspace_id -> Uuid,
        id -> Uuid,
        contact_id -> Uuid,
    }
}

diesel::table! {
    contact_counts (workspace_id, slot) {
        workspace_id -> Uuid,
        slot -> SmallInt,
        contacts -> BigInt,
    }
}

diesel::table! {
    contact_part_counts (workspace_id, part, slot) {
        workspace_id -> Uuid,
        part -> Text,
        slot -> SmallInt,
        contacts -> BigInt,
    }
}

diesel::table! {
    contact_signals (workspace_id, contact_id, channel_id, kind) {
        workspace_id -> Uuid,
        contact_id -> Uuid,
        channel_id -> Uuid,
        kind -> Text,
        signal -> Jsonb,
        at -> Timestamptz,
    }
}

diesel::table! {
    contacts (workspace_id, id) {
        workspace_id -> Uuid,
        id -> Uuid,
        name -> Nullable<Text>,
        phone -> Nullable<Text>,
        avatar_url -> Nullable<Text>,
        source -> Text,
        active_month -> Nullable<Date>,
        last_active_at -> Nullable<Timestamptz>,
        created_at -> Timestamptz,
        channels -> Array<Text>,
        searchable -> Text,
    }
}

diesel::table! {
    conversation_aliases (workspace_id, id) {
        workspace_id -> Uuid,
        id -> Uuid,
        conversation_id -> Uuid,
    }
}

diesel::table! {
    conversation_settings (workspace_id) {
        workspace_id -> Uuid,
        hours -> Nullable<Jsonb>,
        idle_close_minutes -> Nullable<Integer>,
        unanswered_return_minutes -> Nullable<Integer>,
    }
}

diesel::table! {
    conversation_tags (workspace_id, conversation_id, tag) {
        workspace_id -> Uuid,
        conversation_id -> Uuid,
        tag -> Text,
        folded -> Nullable<Text>,
    }
}

diesel::table! {
    conversations (workspace_id, id) {
        workspace_id -> Uuid,
        id -> Uuid,
        contact_id -> Uuid,
        channel_id -> Uuid,
        channel -> Text,
        status -> Text,
        announced -> Bool,
        version -> BigInt,
        last_message_at -> Timestamptz,
        created_at -> Timestamptz,
        assigned_to -> Nullable<Uuid>,
        group_id -> Nullable<Uuid>,
        customer_wrote_at -> Nullable<Timestamptz>,
        moved_at -> Nullable<Timestamptz>,
        answered_at -> Nullable<Timestamptz>,
        stamped_at -> Nullable<Timestamptz>,
        waiting_since -> Nullable<Timestamptz>,
        hand_over_message_id -> Nullable<Uuid>,
        handed_over_at -> Nullable<Timestamptz>,
        wait_message_id -> Nullable<Uuid>,
        more_message_id -> Nullable<Uuid>,
    }
}

diesel::table! {
    delivery_attempts (workspace_id, delivery_id, attempt, created_at) {
        workspace_id -> Uuid,
        delivery_id -> Uuid,
        attempt -> Integer,
        started_at -> Timestamptz,
        duration_ms -> BigInt,
        status -> Nullable<Integer>,
        failure -> Nullable<Text>,
        answer_sealed -> Nullable<Binary>,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    delivery_log (workspace_id, id, created_at) {
        workspace_id -> Uuid,
        id -> Uuid,
        address_id -> Uuid,
        event -> Text,
        body_sealed -> Binary,
        undelivered -> Nullable<Text>,
        created_at -> Timestamptz,
        message_id -> Nullable<Uuid>,
        contact_id -> Nullable<Uuid>,
        trace_parent -> Nullable<Text>,
    }
}

diesel::table! {
    delivery_queue (workspace_id, delivery_id) {
        workspace_id -> Uuid,
        delivery_id -> Uuid,
        address_id -> Uuid,
        attempt -> Integer,
        due_at -> Timestamptz,
        leased_until -> Nullable<Timestamptz>,
        created_at -> Timestamptz,
        once -> Bool,
    }
}

diesel::table! {
    departures (workspace_id, member_id) {
        workspace_id -> Uuid,
        member_id -> Uuid,
        removed_by -> Uuid,
        left_at -> Timestamptz,
    }
}

diesel::table! {
    drafts (workspace_id, id) {
        workspace_id -> Uuid,
        id -> Uuid,
        conversation_id -> Uuid,
        kind -> Text,
        state -> Text,
        language -> Text,
        proposal_sealed -> Nullable<Binary>,
        summary_id -> Uuid,
        author_id -> Nullable<Uuid>,
        system_id -> Uuid,
        key_hash -> Nullable<Binary>,
        request_hash -> Nullable<Binary>,
        answer_due_at -> Nullable<Timestamptz>,
        answer_by -> Nullable<Timestamptz>,
        read_until -> Timestamptz,
        only_button -> Bool,
        created_at -> Timestamptz,
        expires_at -> Timestamptz,
        tried -> Bool,
        question_id -> Nullable<Uuid>,
        asked_at -> Nullable<Timestamptz>,
        sent_again -> SmallInt,
    }
}

diesel::table! {
    group_members (workspace_id, group_id, member_id) {
        workspace_id -> Uuid,
        group_id -> Uuid,
        member_id -> Uuid,
    }
}

diesel::table! {
    groups (workspace_id, id) {
        workspace_id -> Uuid,
        id -> Uuid,
        name -> Text,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    idempotency_keys (workspace_id, key_hash) {
        workspace_id -> Uuid,
        key_hash -> Binary,
        request_hash -> Binary,
        send_id -> Uuid,
        claimed_at -> Timestamptz,
    }
}

diesel::table! {
    identities (workspace_id, kind, value) {
        workspace_id -> Uuid,
        kind -> Text,
        value -> Text,
        contact_id -> Uuid,
        recorded_at -> Timestamptz,
        profile_due_at -> Nullable<Timestamptz>,
        profile_attempts -> Integer,
    }
}

diesel::table! {
    import_job_parts (workspace_id, job_id, number) {
        workspace_id -> Uuid,
        job_id -> Uuid,
        number -> Integer,
        row_count -> BigInt,
        people -> Jsonb,
    }
}

diesel::table! {
    import_jobs (workspace_id, id) {
        workspace_id -> Uuid,
        id -> Uuid,
        member_id -> Uuid,
        name -> Text,
        state -> Text,
        people -> BigInt,
        created -> BigInt,
        known -> BigInt,
        refused -> BigInt,
        refusals -> Jsonb,
        created_at -> Timestamptz,
        changed_at -> Timestamptz,
        not_read -> Array<Text>,
    }
}

diesel::table! {
    invitations (token_hash) {
        token_hash -> Binary,
        id -> Uuid,
        workspace_id -> Uuid,
        email -> Text,
        role -> Text,
        created_at -> Timestamptz,
        expires_at -> Timestamptz,
        invited_by -> Nullable<Uuid>,
        from_operator -> Bool,
        mailed -> Bool,
    }
}

diesel::table! {
    journal (workspace_id, id) {
        workspace_id -> Uuid,
        id -> Uuid,
        kind -> Text,
        item_sealed -> Binary,
        attempts -> Integer,
        received_at -> Timestamptz,
        due_at -> Nullable<Timestamptz>,
        place -> BigInt,
        holder -> Integer,
    }
}

diesel::table! {
    journal_hands (workspace_id) {
        workspace_id -> Uuid,
        holder -> Integer,
    }
}

diesel::table! {
    key_probe (is_only) {
        is_only -> Bool,
        probe_sealed -> Nullable<Binary>,
        probe_hash -> Nullable<Binary>,
    }
}

diesel::table! {
    knowledge_documents (workspace_id, id) {
        workspace_id -> Uuid,
        id -> Uuid,
        title -> Text,
        source -> Text,
        bytes -> Integer,
        passages -> Integer,
        changed_by -> Nullable<Uuid>,
        changed_at -> Timestamptz,
    }
}

diesel::table! {
    knowledge_passages (workspace_id, document_id, number) {
        workspace_id -> Uuid,
        document_id -> Uuid,
        number -> Integer,
        heading -> Text,
        sentences -> Array<Text>,
    }
}

diesel::table! {
    late_files (workspace_id, message_id) {
        workspace_id -> Uuid,
        message_id -> Uuid,
        attempts -> Integer,
        recorded_at -> Timestamptz,
        due_at -> Timestamptz,
    }
}

diesel::table! {
    leads (workspace_id, id) {
        workspace_id -> Uuid,
        id -> Uuid,
        key_hash -> Nullable<Binary>,
        request_hash -> Nullable<Binary>,
        state -> Text,
        push_sealed -> Nullable<Binary>,
        attempts -> Integer,
        due_at -> Nullable<Timestamptz>,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    live_changes (workspace_id, id) {
        workspace_id -> Uuid,
        id -> BigInt,
        kind -> Text,
        conversations -> Array<Nullable<Uuid>>,
        messages -> Array<Nullable<Uuid>>,
        at -> Timestamptz,
        member_id -> Nullable<Uuid>,
    }
}

diesel::table! {
    live_events (workspace_id, number) {
        workspace_id -> Uuid,
        number -> BigInt,
        kind -> Text,
        conversation_id -> Nullable<Uuid>,
        message_id -> Nullable<Uuid>,
        at -> Timestamptz,
        member_id -> Nullable<Uuid>,
    }
}

diesel::table! {
    live_feeds (workspace_id) {
        workspace_id -> Uuid,
        epoch -> Uuid,
        last -> BigInt,
        forgotten -> BigInt,
    }
}

diesel::table! {
    marketing_stops (workspace_id, phone) {
        workspace_id -> Uuid,
        phone -> Text,
        source -> Text,
        stopped_at -> Timestamptz,
        resumed_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    member_logins (email, workspace_id) {
        email -> Text,
        workspace_id -> Uuid,
        member_id -> Uuid,
    }
}

diesel::table! {
    members (workspace_id, id) {
        workspace_id -> Uuid,
        id -> Uuid,
        email -> Text,
        role -> Text,
        created_at -> Timestamptz,
        left_at -> Nullable<Timestamptz>,
        name -> Nullable<Text>,
        password_hash -> Nullable<Text>,
        totp_sealed -> Nullable<Binary>,
        totp_confirmed_at -> Nullable<Timestamptz>,
        totp_step -> Nullable<BigInt>,
        mailbox_proven_at -> Nullable<Timestamptz>,
        language -> Nullable<Text>,
        device_generation -> Integer,
    }
}

diesel::table! {
    messages (workspace_id, id) {
        workspace_id -> Uuid,
        id -> Uuid,
        conversation_id -> Uuid,
        role -> Text,
        sender_id -> Nullable<Text>,
        content -> Text,
        template_name -> Nullable<Text>,
        template_language -> Nullable<Text>,
        reference -> Nullable<Text>,
        created_at -> Timestamptz,
        network_id_hash -> Nullable<Binary>,
        reaction -> Nullable<Text>,
        reacted_at -> Nullable<Timestamptz>,
        edited_at -> Nullable<Timestamptz>,
        deleted_at -> Nullable<Timestamptz>,
        transcription -> Nullable<Text>,
        context -> Nullable<Jsonb>,
        searchable -> Nullable<Text>,
        notice -> Nullable<Jsonb>,
        sent_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    model_keys (workspace_id) {
        workspace_id -> Uuid,
        id -> Uuid,
        key_sealed -> Binary,
        set_at -> Timestamptz,
        refused_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    notes (workspace_id, id) {
        workspace_id -> Uuid,
        id -> Uuid,
        conversation_id -> Uuid,
        author_id -> Uuid,
        text -> Text,
        mentions -> Array<Nullable<Uuid>>,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    number_healths (workspace_id, account_id, network_id) {
        workspace_id -> Uuid,
        account_id -> Uuid,
        network_id -> Text,
        phone -> Text,
        state -> Text,
        quality -> Text,
        name -> Nullable<Text>,
        name_state -> Nullable<Text>,
        messaging_limit -> Nullable<Text>,
        read_at -> Timestamptz,
    }
}

diesel::table! {
    password_resets (token_hash) {
        token_hash -> Binary,
        workspace_id -> Uuid,
        member_id -> Uuid,
        mailed -> Bool,
        drops_factor -> Bool,
        created_at -> Timestamptz,
        expires_at -> Timestamptz,
    }
}

diesel::table! {
    plan_reservations (workspace_id, month, person, send_id) {
        workspace_id -> Uuid,
        month -> Date,
        person -> Text,
        send_id -> Uuid,
    }
}

diesel::table! {
    prepared_replies (workspace_id, id) {
        workspace_id -> Uuid,
        id -> Uuid,
        conversation_id -> Uuid,
        author_id -> Nullable<Uuid>,
        reply_sealed -> Binary,
        summary_of -> Nullable<Uuid>,
        due_at -> Timestamptz,
        good_until -> Timestamptz,
    }
}

diesel::table! {
    presences (workspace_id, conversation_id, member_id) {
        workspace_id -> Uuid,
        conversation_id -> Uuid,
        member_id -> Uuid,
        doing -> Text,
        until -> Timestamptz,
    }
}

diesel::table! {
    quarantine (id) {
        id -> BigInt,
        reason -> Text,
        payload_sealed -> Binary,
        received_at -> Timestamptz,
        workspace_id -> Nullable<Uuid>,
        update_id -> Nullable<Uuid>,
        network -> Nullable<Text>,
        webhook -> Text,
    }
}

diesel::table! {
    rate_windows (key_id) {
        key_id -> Uuid,
        started_at -> Timestamptz,
        used -> Integer,
    }
}

diesel::table! {
    recovery_codes (workspace_id, member_id, code_hash) {
        workspace_id -> Uuid,
        member_id -> Uuid,
        code_hash -> Binary,
    }
}

diesel::table! {
    seen_conversations (workspace_id, member_id, conversation_id) {
        workspace_id -> Uuid,
        member_id -> Uuid,
        conversation_id -> Uuid,
        seen_at -> Timestamptz,
    }
}

diesel::table! {
    sends (workspace_id, id) {
        workspace_id -> Uuid,
        id -> Uuid,
        channel_id -> Uuid,
        from_phone -> Nullable<Text>,
        template_name -> Nullable<Text>,
        template_language -> Nullable<Text>,
        reference -> Nullable<Text>,
        state -> Text,
        notice_to -> Nullable<Text>,
        notice_name -> Nullable<Text>,
        notice_content -> Nullable<Text>,
        network_id_hash -> Nullable<Binary>,
        network_id_sealed -> Nullable<Binary>,
        contact_id -> Nullable<Uuid>,
        conversation_id -> Nullable<Uuid>,
        status -> Text,
        delivered_at -> Nullable<Timestamptz>,
        read_at -> Nullable<Timestamptz>,
        failed_at -> Nullable<Timestamptz>,
        error -> Nullable<Text>,
        created_at -> Timestamptz,
        settled_at -> Nullable<Timestamptz>,
        author_id -> Nullable<Uuid>,
        behind -> Nullable<Bool>,
        stamped_at -> Nullable<Timestamptz>,
        error_code -> Nullable<BigInt>,
    }
}

diesel::table! {
    sessions (token_hash) {
        token_hash -> Binary,
        id -> Uuid,
        workspace_id -> Uuid,
        member_id -> Uuid,
        address -> Nullable<Text>,
        user_agent -> Nullable<Text>,
        created_at -> Timestamptz,
        seen_at -> Timestamptz,
        sign_up_hash -> Nullable<Binary>,
        sign_up_until -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    synonyms (workspace_id) {
        workspace_id -> Uuid,
        groups -> Array<Text>,
        changed_at -> Timestamptz,
    }
}

diesel::table! {
    system_calls (workspace_id, id) {
        workspace_id -> Uuid,
        id -> Uuid,
        route -> Text,
        result -> Text,
        status -> Nullable<Integer>,
        duration_ms -> BigInt,
        bytes -> Nullable<BigInt>,
        unusable -> Array<Text>,
        message_sealed -> Nullable<Binary>,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    systems (workspace_id) {
        workspace_id -> Uuid,
        id -> Uuid,
        base_url -> Text,
        secret_sealed -> Binary,
        name -> Text,
        currency -> Text,
        capabilities -> Array<Text>,
        state -> Text,
        cooling_until -> Nullable<Timestamptz>,
        failures -> Integer,
        slowdowns -> Integer,
        failed_verifications -> Integer,
        verify_at -> Nullable<Timestamptz>,
        problem -> Nullable<Text>,
        state_since -> Timestamptz,
        connected_at -> Timestamptz,
        verified_at -> Timestamptz,
        version -> BigInt,
        creator_id -> Nullable<Uuid>,
    }
}

diesel::table! {
    templates (workspace_id, name, language, account_id) {
        workspace_id -> Uuid,
        account_id -> Uuid,
        name -> Text,
        language -> Text,
        network_id -> Text,
        category -> Text,
        status -> Text,
        rejection_reason -> Nullable<Text>,
        content -> Jsonb,
        send_ttl_seconds -> Nullable<BigInt>,
        validity_problem -> Nullable<Text>,
        labels -> Jsonb,
    }
}

diesel::table! {
    unread_messages (workspace_id, conversation_id) {
        workspace_id -> Uuid,
        conversation_id -> Uuid,
        message_id -> Uuid,
        network_id_sealed -> Binary,
    }
}

diesel::table! {
    unread_updates (workspace_id, day, field) {
        workspace_id -> Uuid,
        day -> Date,
        field -> Text,
        updates -> BigInt,
    }
}

diesel::table! {
    unseen_mentions (workspace_id, member_id, note_id) {
        workspace_id -> Uuid,
        member_id -> Uuid,
        note_id -> Uuid,
        conversation_id -> Uuid,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    uploads (workspace_id, id) {
        workspace_id -> Uuid,
        id -> Uuid,
        member_id -> Uuid,
        kind -> Text,
        content_type -> Text,
        title -> Nullable<Text>,
        object_key -> Text,
        bytes -> Nullable<BigInt>,
        created_at -> Timestamptz,
        message_id -> Nullable<Uuid>,
        reserved -> Nullable<BigInt>,
    }
}

diesel::table! {
    usage_days (workspace_id, day) {
        workspace_id -> Uuid,
        day -> Date,
        received -> BigInt,
        sent -> BigInt,
        templates -> Jsonb,
        active_customers -> BigInt,
        counted_at -> Timestamptz,
    }
}

diesel::table! {
    webhook_addresses (workspace_id, id) {
        workspace_id -> Uuid,
        id -> Uuid,
        url -> Text,
        events -> Array<Text>,
        secret_sealed -> Binary,
        state -> Text,
        consecutive_failures -> Integer,
        disabled_reason -> Nullable<Text>,
        created_at -> Timestamptz,
        previous_secret_sealed -> Nullable<Binary>,
        previous_secret_until -> Nullable<Timestamptz>,
        standard_headers -> Bool,
        deleted_at -> Nullable<Timestamptz>,
        creator_id -> Nullable<Uuid>,
    }
}

diesel::table! {
    webhook_resends (workspace_id, id) {
        workspace_id -> Uuid,
        id -> Uuid,
        address_id -> Uuid,
        since -> Timestamptz,
        until -> Timestamptz,
        total -> BigInt,
        resent -> BigInt,
        reached_at -> Nullable<Timestamptz>,
        reached_id -> Nullable<Uuid>,
        created_at -> Timestamptz,
        ended_at -> Nullable<Timestamptz>,
        stopped -> Nullable<Text>,
    }
}

diesel::table! {
    workspaces (workspace_id) {
        workspace_id -> Uuid,
        name -> Text,
        locale -> Text,
        region -> Text,
        active_customer_limit -> Nullable<Integer>,
        paused -> Bool,
        created_at -> Timestamptz,
        reset_by_mail -> Bool,
        time_zone -> Text,
        marks_read -> Bool,
    }
}

diesel::allow_tables_to_appear_in_same_query!(
    account_routes,
    accounts,
    api_keys,
    assistant_questions,
    assistant_rehearsals,
    assistant_turn_log,
    assistant_turns,
    assistant_usage,
    assistants,
    attachment_queue,
    attachments,
    attempt_windows,
    audit_log,
    automation_triggers,
    automations,
    booking_requests,
    broadcast_counts,
    broadcast_left_out,
    broadcast_list_people,
    broadcast_lists,
    broadcast_marks,
    broadcast_people,
    broadcast_people_counts,
    broadcast_prices,
    broadcast_written_to,
    broadcasts,
    canned_replies,
    channel_alerts,
    channel_routes,
    channels,
    commitments,
    contact_aliases,
    contact_counts,
    contact_part_counts,
    contact_signals,
    contacts,
    conversation_aliases,
    conversation_settings,
    conversation_tags,
    conversations,
    delivery_attempts,
    delivery_log,
    delivery_queue,
    departures,
    drafts,
    group_members,
    groups,
    idempotency_keys,
    identities,
    import_job_parts,
    import_jobs,
    invitations,
    journal,
    journal_hands,
    key_probe,
    knowledge_documents,
    knowledge_passages,
    late_files,
    leads,
    live_changes,
    live_events,
    live_feeds,
    marketing_stops,
    member_logins,
    members,
    messages,
    model_keys,
    notes,
    number_healths,
    password_resets,
    plan_reservations,
    prepared_replies,
    presences,
    quarantine,
    rate_windows,
    recovery_codes,
    seen_conversations,
    sends,
    sessions,
    synonyms,
    system_calls,
    systems,
    templates,
    unread_messages,
    unread_updates,
    unseen_mentions,
    uploads,
    usage_days,
    webhook_addresses,
    webhook_resends,
    workspaces,
);
