// Command calls makes every call of the API with the client that was generated.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	messaging "client"
)

func must(what string, err error) {
	if err != nil {
		log.Fatalf("%s: %v", what, err)
	}
}

func main() {
	settings := messaging.NewConfiguration()
	settings.Servers = messaging.ServerConfigurations{{URL: os.Getenv("SERVICE_URL")}}
	client := messaging.NewAPIClient(settings)
	ctx := context.WithValue(context.Background(), messaging.ContextAccessToken, os.Getenv("API_KEY"))
	once := fmt.Sprintf("go-%d-", time.Now().UnixNano())

	_, _, err := client.KeyAPI.GetMe(ctx).Execute()
	must("getMe", err)
	_, _, err = client.TemplatesAPI.ListTemplates(ctx).Status("approved").Execute()
	must("listTemplates", err)

	notice := messaging.NewTemplateSend("07701234567", "order_ready")
	values := []string{"Sara", "A-1042"}
	notice.SetVariables(messaging.ArrayOfStringAsTemplateSendVariables(&values))
	notice.SetReference("order-1042")
	sent, _, err := client.MessagesAPI.SendTemplate(ctx).TemplateSend(*notice).IdempotencyKey(once + "notice").Execute()
	must("sendTemplate: a notice", err)
	code := messaging.NewTemplateSend("07701234567", "login_code")
	code.SetCode("483920")
	_, _, err = client.MessagesAPI.SendTemplate(ctx).TemplateSend(*code).IdempotencyKey(once + "code").Execute()
	must("sendTemplate: a code", err)
	_, _, err = client.MessagesAPI.GetMessage(ctx, sent.GetId()).Execute()
	must("getMessage", err)
	found, _, err := client.MessagesAPI.FindMessages(ctx).Reference("order-1042").Execute()
	must("findMessages", err)
	if len(found.GetData()) == 0 {
		log.Fatal("findMessages: the notice is not found")
	}

	contact, _, err := client.ContactsAPI.AddContact(ctx).ContactForm(*messaging.NewContactForm("0770 765 4321")).Execute()
	must("addContact", err)
	_, _, err = client.ContactsAPI.RenameContact(ctx, contact.GetId()).ContactName(*messaging.NewContactName("Noor Ali")).Execute()
	must("renameContact", err)
	renamed, _, err := client.ContactsAPI.GetContact(ctx, contact.GetId()).Execute()
	must("getContact", err)
	if renamed.GetName() != "Noor Ali" {
		log.Fatalf("getContact: %q", renamed.GetName())
	}
	_, _, err = client.ContactsAPI.ListContacts(ctx).Search("Noor").Execute()
	must("listContacts", err)

	conversations, _, err := client.ConversationsAPI.ListConversations(ctx).Limit(50).Execute()
	must("listConversations", err)
	if len(conversations.GetData()) == 0 {
		log.Fatal("listConversations: there are none")
	}
	conversation := conversations.GetData()[0].GetId()
	_, _, err = client.ConversationsAPI.GetConversation(ctx, conversation).Execute()
	must("getConversation", err)
	_, _, err = client.ConversationsAPI.ListMessages(ctx, conversation).Execute()
	must("listMessages", err)
	reply := messaging.NewReplyForm(conversation, "Your order is ready.")
	_, _, err = client.MessagesAPI.SendReply(ctx).ReplyForm(*reply).IdempotencyKey(once + "reply").Execute()
	must("sendReply", err)
	fmt.Println("14 calls")
}
